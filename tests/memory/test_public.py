"""What a program may rely on: the names of the package, and what each method of `Memory` takes."""

import inspect
import subprocess
import sys
from pathlib import Path

import scrimshaw
from scrimshaw import Memory, ObserveOptions

_PACKAGE = Path(scrimshaw.__file__).parent
_LISTED = Path(__file__).parent / "public.txt"


def _public() -> str:
    """Return the public interface as text; a change to it belongs in the changelog."""
    lines = [f"scrimshaw.{name}" for name in sorted(scrimshaw.__all__)]
    for name, member in sorted(_members().items()):
        if name.startswith("_") and name not in ("__init__", "__enter__", "__exit__"):
            continue
        function = member.__func__ if isinstance(member, classmethod) else member
        lines.append(
            f"Memory.{name}: property"
            if isinstance(member, property)
            else f"Memory.{name}{inspect.signature(function)}"
        )
    return "\n".join([*lines, f"ObserveOptions{_options()}", ""])


def _members() -> dict[str, object]:
    """Return what `Memory` and the parts that it is made of define."""
    return {name: member for part in reversed(Memory.__mro__[:-1]) for name, member in vars(part).items()}


def _options() -> str:
    fields = inspect.signature(ObserveOptions).parameters.values()
    return f"({', '.join(f'{one.name}: {one.annotation}' for one in fields)})"


def test_the_public_interface_is_as_it_was_listed():
    # Changed on purpose? python -m tests.memory.test_public writes it anew.
    assert _LISTED.read_text() == _public()


def test_every_public_name_can_be_had_and_is_documented():
    for name in scrimshaw.__all__:
        value = getattr(scrimshaw, name)
        assert name == "__version__" or inspect.getdoc(value), name
    for name, member in _members().items():
        assert name.startswith("_") or inspect.getdoc(member), name


def test_importing_the_package_loads_nothing_of_it():
    code = "import sys, scrimshaw; print(sorted(m for m in sys.modules if m.startswith('scrimshaw')))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert told.strip() == "['scrimshaw']"


def test_opening_a_memory_loads_no_observer_and_no_library_of_its_own():
    heavy = "scrimshaw.core.verification.verify", "scrimshaw.services.observe.run", "tantivy", "click", "rich"
    code = f"import sys; from scrimshaw import Memory; print([m for m in {heavy!r} if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert told.strip() == "[]"


def test_an_unknown_name_is_no_attribute():
    assert not hasattr(scrimshaw, "Nothing")
    assert set(scrimshaw.__all__) == set(dir(scrimshaw))


def test_types_are_announced():
    assert (_PACKAGE / "py.typed").exists()


if __name__ == "__main__":
    _LISTED.write_text(_public())
