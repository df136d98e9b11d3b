"""The words that announce a secret, and those between them and it, in the languages people use.

A `Noun` is found by its stem, which is part of one word, and read by its pattern at that place. It means
one of a few kinds; how a value is told behind it is the same for all (scrimshaw/secret_said).
To teach another language: its nouns here, its copulas and prepositions below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """What sort of value a noun announces."""

    PASSWORD = "password"  # noqa: S105  # a kind
    PIN = "pin"  # digits only
    CODE = "code"  # of a door, an alarm, a second factor: only beside a word for what it opens
    KEY = "secret"  # everyday words ("key", "token"): the value has to look made by a machine
    LOGIN = "login"  # a name, then a password
    SEED = "seed-phrase"


class Noun(NamedTuple):
    """One way to name a secret; *stem* stands at the beginning of what *pattern* reads."""

    stem: str
    pattern: re.Pattern[str]
    kind: Kind


def _nouns(kind: Kind, lines: str) -> list[Noun]:
    """Read `stem pattern` lines; a pattern is the rest of the word, a blank in it any white space."""
    nouns = []
    for line in lines.strip().splitlines():
        stem, _, rest = line.strip().partition(" | ")
        # No letter before or behind; an underscore is markup ("_PIN:_").
        rest = re.sub(r"^\\b", r"(?<![^\\W\\d_])", rest)
        nouns.append(
            Noun(stem, re.compile(re.sub(r"\\b(?=$|\|)", r"(?![^\\W\\d_])", rest) or re.escape(stem)), kind)
        )
    return nouns


# A part before a word is allowed where languages build compounds (WLAN-Passwort, Datenbankkennwort); short
# stems and everyday words need a boundary.
_PASS = re.compile(
    r"pass(?:[- ]?(?:words?|wort(?:e|es|s)?|phrases?|codes?)|wd|wörter|ord(?:et)?(?![^\W_])"
    r"|e(?![^\W\d_])(?:(?<=de.passe)|(?<=palavra.passe))|(?<![^\W_]pass)(?![^\W_]))"
)
NOUNS: tuple[Noun, ...] = (
    Noun("pass", _PASS, Kind.PASSWORD),
    *_nouns(
        Kind.PASSWORD,
        r"""
        pw | (?<![a-z])pwd?\b
        kennw | kennw(?:ort(?:e|es|s)?|örter)\b
        losung | (?<=\b)losungswort\b
        clave | \bclaves?\b
        contrase | contrase(?:ñ|n|ny)as?\b
        senha | \bsenhas?\b
        palavra | palavra[- ]chave\b
        parola | \bparola(?: d['’]ordine)?\b
        mdp | \bmdp\b
        wachtwoord | wachtwoord(?:en)?\b
        """,
    ),
    *_nouns(
        Kind.PIN,
        r"""
        pin | (?<![a-z])pin(?:[- ]?(?:codes?|nummer|number|no\.|nr\.|码|コード))?(?![a-z])
        puk | \bpuk\b
        cvv | \bcvv2?\b
        cvc | \bcvc2?\b
        geheimzahl | geheimzahl\b
        """,
    ),
    *_nouns(
        Kind.CODE,
        r"""
        code | codes?\b
        codic | codic[ei]\b
        codigo | codigos?\b
        combinat | combination\b
        kombination | kombination\b
        combinaz | combinazione\b
        combinai | combinaison\b
        otp | \botp\b
        tan | (?:(?<![^\W\d_])|(?<=(?<![^\W\d_])m)|(?<=sms))tan\b
        """,
    ),
    *_nouns(
        Kind.LOGIN,
        r"""
        log | \blog[- ]?ins?(?:[- ]?(?:data|details|info|daten))?\b
        sign | \bsign[- ]?in\b
        cred | cred(?:s|entials?|enciales|enciais|enziali)\b
        admin | (?<![^\s(\"'`*])admin(?=[ ]/[ ]|:(?!//)\S)
        root | (?<![^\s(\"'`*])root(?=[ ]/[ ]|:(?!//)\S)
        zugang | zugang(?:sdaten)?\b
        anmelde | anmeldedaten\b
        identifiant | identifiants?\b
        acces | \bacces?so\b
        """,
    ),
    *_nouns(
        Kind.KEY,
        r"""
        token | tokens?\b
        secret | secrets?\b
        key | keys?\b
        cookie | cookies?\b
        chiave | \bchiave\b
        chave | \bchave\b
        schluessel | schluessel\b
        sleutel | sleutel\b
        """,
    ),
    *_nouns(
        Kind.SEED,
        r"""
        seed | seed(?:[- ]?(?:phrase|words?|wörter))?\b
        mnemon | mnemonic\b
        phrase | phrases?\b
        frase | \bfrase\b
        wallet | wallets?\b
        semilla | \bsemilla\b
        """,
    ),
)
# Searched for only in text that is not plain ASCII.
FOREIGN_NOUNS: tuple[Noun, ...] = (
    *_nouns(
        Kind.PASSWORD,
        r"""
        密码
        密碼
        口令
        パスワード
        パスフレーズ
        合言葉
        парол | парол[ьяю]м?\b
        hasło
        lösenord | lösenord(?:et)?
        şifre | şifre(?:si)?
        비밀번호
        """,
    ),
    *_nouns(
        Kind.PIN,
        """
        暗証番号
        暗证号
        """,
    ),
    *_nouns(
        Kind.CODE,
        r"""
        código | códigos?\b
        combinac | combinaci[oó]n\b|combinação\b
        验证码
        驗證碼
        码
        碼
        コード
        """,
    ),
    *_nouns(
        Kind.LOGIN,
        """
        账号
        帳號
        ログイン
        accès
        """,
    ),
    *_nouns(
        Kind.KEY,
        r"""
        schlüssel | schlüssels?\b
        clé | \bclés?\b
        密钥
        密鑰
        秘钥
        令牌
        トークン
        キー
        シークレット
        토큰
        ключ | ключ\b
        токен
        """,
    ),
    *_nouns(
        Kind.SEED,
        r"""
        wörter | wörter\b
        助记词
        助記詞
        フレーズ
        ニーモニック
        mnémon | mnémonique\b
        """,
    ),
)


def any_of(words: Iterable[str], *, whole: bool = False) -> str:
    """Return a pattern of *words* that looks at each letter once.

    Of two that begin alike the shorter is found; with *whole*, the longer.
    """
    branches: dict[str, list[str]] = {}
    for word in words:
        branches.setdefault(word[0], []).append(word[1:])
    parts = []
    for head, rests in branches.items():
        longer = any_of([rest for rest in rests if rest], whole=whole) if any(rests) else ""
        if "" in rests:
            longer = f"(?:{longer})?" if longer and whole else ""
        parts.append(re.escape(head) + longer)
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def _either(words: str) -> str:
    return any_of(words.split(), whole=True)


_IS = """
is are was were be ist war lautet lautete heißt heisst sei es era será son são sind sont est était sera sono
è sarà é foi fica être luidt wordt är это
"""
_STILL = """
now currently still again temporarily just been has have had set changed reset rotated updated to as probably
actually simply jetzt nun aktuell noch immer wieder momentan auf wurde worden einfach ahora actualmente
todavía sigue siendo maintenant actuellement désormais toujours adesso ora attualmente ancora agora
atualmente ainda cambiada cambiado por changé cambiata stata sido été a
"""
_OF = """
for of on at in from to here für fürs von vom zum zur zu am im beim bei des der de del della dello dell' di
du dei da do dos das para pour per pro voor van d' l' på för для от к dla
"""
_ALSO = rf"(?:{_either(_STILL)})\s{{1,4}}"
# "is", "is now", "has been changed to"; begins with a white space: a search passes letters by.
COPULA = (
    rf"\s\s{{0,3}}(?:{_ALSO}){{0,3}}(?:{_either(_IS)})(?=[\s:])"
    rf"(?:\s{{1,4}}(?:{_either(_STILL)})(?=\s)){{0,4}}"
)
# "changed the password to X", "auf X geändert"
TO = re.compile(r"\s(?:to|auf|a|en|in|para|por)(?=\s{1,3}[\"'`*“„(]{0,4}[^\s\d]{0,40}\d)")
PREPOSITION = _either(_OF)
CHANGED = re.compile(
    r"\b(?:chang|set|reset|updat|rotat|änder|geändert|setz|cambi|modifi|mud[eao]|alter|atualiz|pus[eo]|mis)\w*"
    r"[^.!?\n]{0,40}$"
)
USING = re.compile(
    r"\b(?:with|using|use|mit|con|avec|com|met|user(?:name)?|login|log|account|konto|benutzer|usuario|utilisateur"
    r"|utente|usuário|[\w.+-]{1,64}@[\w.-]{1,80})\b[^.!?\n]{0,40}$"
)
# "X is the password", "X ist das Passwort", "use X as your password"
LINK = re.compile(r"\s(?:is|was|as|ist|war|als|es|como|est|comme|è|come|é)\s")
BACKWARDS = re.compile(
    r"(?P<value>[^\s\"'`]{4,80})[\"'`*”»]{0,3},?\s+(?:is|was|as|ist|war|als|es|como|est|comme|è|come|é)\s+"
    r"(?:[\w'’-]+\s+|[ld]['’]){0,5}[\w'’-]{0,30}$"
)

# What a code opens, or proves: in front of "code", as a part of the word, or behind "code for".
_OPENS = """
alarm door gate garage safe lock vault entry entrance access secur unlock keypad building verif confirm
one-time onetime time login log-in sign-in signin auth authent authoris authoriz 2fa mfa sms otp backup
recover reset pairing your factor locker tür tuer haus tor tresor zugang sicherheit bestätig einmal
freischalt schloss schließ puerta portal acceso seguridad verificac caja candado cerradura porte accès acces
portail coffre sécurité vérif entrée immeuble cadenas porta allarme cancello sicurezza cassaforte verific
portão acesso segurança cofre tu dein deine ihr ihre votre ton tuo seu telefon phone sim card karte digi
"""
OPENS = re.compile(
    rf"(?:{_either(_OPENS)})[\w-]{{0,12}}(?:['’]s)?[\s\"'*-]{{0,3}}(?:de |d['’]|di |do |da )?$"
    r"|[门門锁鎖报警保险ドアムロック認証確認]$"
)
OPENED = re.compile(rf"(?:\b(?:{_either(_OPENS)}))")
LOCKS = re.compile(r"\b(?:wpa\d?|wi-?fi|wlan|hotspot|router)\b[^\n.?]{0,30}$")
WHOSE = re.compile(r"\b(?:my|your|meine|mi|mon|mia|mio|meu|minha|sim|card|karten|bank)[- ]{0,2}$")
SEVERAL = re.compile(
    r"(?:recovery|backup|wiederherstellungs|ersatz|recuperaci[oó]n|recuperação|respaldo|secours|récupération"
    r"|recupero|scratch|恢复|復元|备用|備用|バックアップ|リカバリー?)"
)
