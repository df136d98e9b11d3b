"""How people tell a secret: by language, by what it is, and in every markup that text comes in.

A language has its nouns for each thing, its sentences, and words around them. A telling is a noun in a markup
("**Password:** X", a table row, escaped JSON, YAML, a tag) or in a sentence; the value is drawn anew.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

UPPER, LOWER, DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
BASE62, HEX = UPPER + LOWER + DIGITS, DIGITS + "abcdef"
Make = Callable[[random.Random], str]


class Speech(NamedTuple):
    """One language: nouns by thing, sentences by thing ("{}" is the value), and what people say around it."""

    nouns: dict[str, tuple[str, ...]]
    sentences: dict[str, tuple[str, ...]]
    around: tuple[tuple[str, str], ...]


class Telling(NamedTuple):
    """A text with a secret in it."""

    language: str
    thing: str
    form: str
    secret: str
    text: str


def letters(rng: random.Random, count: int, alphabet: str) -> str:
    """Return *count* letters of *alphabet*."""
    return "".join(rng.choice(alphabet) for _ in range(count))


_BITS = [
    "ba",
    "be",
    "bo",
    "da",
    "do",
    "fa",
    "fi",
    "ga",
    "go",
    "ka",
    "ke",
    "ko",
    "la",
    "le",
    "li",
    "lo",
    "ma",
    "me",
    "mi",
    "mo",
    "na",
    "ne",
    "no",
    "pa",
    "po",
    "ra",
    "re",
    "ri",
    "ro",
    "sa",
    "se",
    "so",
    "ta",
    "te",
    "to",
    "va",
    "vo",
    "za",
    "zo",
]


def word(rng: random.Random, least: int = 2, most: int = 4) -> str:
    """Return a word of no language."""
    return "".join(rng.choice(_BITS) for _ in range(rng.randint(least, most)))


def typed(rng: random.Random) -> str:
    """Return a password as people make them: words, a number, a sign."""
    first, second, number = word(rng), word(rng).capitalize(), rng.randrange(10, 9999)
    return rng.choice(
        (
            f"{first}-{second}-{number}",
            f"{second}{number}!",
            f"{first}_{second}{number}",
            f"{number}{first}#",
            f"{second}@{number}{first}",
            f"{first}{number}",
            f"{second}.{first}.{number}",
            f"{first}${second}{number % 100}",
        )
    )


def generated(rng: random.Random) -> str:
    """Return a password as a manager makes them: with at least one digit and one sign."""
    inside = [rng.choice(DIGITS), rng.choice("!#$%&*+-?@^_~"), *letters(rng, rng.randrange(7, 18), BASE62)]
    rng.shuffle(inside)
    return rng.choice(BASE62) + "".join(inside) + rng.choice(BASE62)


def password(rng: random.Random) -> str:
    """Return a password of either sort."""
    return rng.choice((typed, generated))(rng)


def key(rng: random.Random) -> str:
    """Return a key without a shape of its own: hexadecimal or of all letters."""
    if rng.random() < 0.4:
        return letters(rng, rng.choice((32, 40, 48, 64)), HEX)
    return letters(rng, 2, DIGITS) + letters(rng, rng.randrange(22, 48), BASE62) + letters(rng, 2, "aK7")


def pin(rng: random.Random) -> str:
    """Return four to six digits."""
    return letters(rng, rng.choice((4, 4, 5, 6)), DIGITS)


def once(rng: random.Random) -> str:
    """Return a one-time code."""
    return rng.choice((letters(rng, 6, DIGITS), f"{letters(rng, 3, DIGITS)} {letters(rng, 3, DIGITS)}"))


def recovery(rng: random.Random) -> str:
    """Return a recovery code."""
    return "-".join(letters(rng, 4, LOWER + DIGITS) + str(rng.randrange(10)) for _ in range(2))


def seed(rng: random.Random) -> str:
    """Return words for a wallet: short ones, twelve or more."""
    return " ".join(word(rng, 2, 4) for _ in range(rng.choice((12, 15, 18, 24))))


def luhn(rng: random.Random) -> str:
    """Return a payment card's number, whole or in groups."""
    head, length = rng.choice((("4", 16), ("52", 16), ("2314", 16), ("37", 15), ("6011", 16), ("3540", 16)))
    body = head + letters(rng, length - len(head) - 1, DIGITS)
    total = sum(sum(divmod(int(c) * (2 if i % 2 == 0 else 1), 10)) for i, c in enumerate(reversed(body)))
    number = body + str(-total % 10)
    groups = (4, 6, 5) if length == 15 else (4, 4, 4, 4)
    parts, at = [], 0
    for size in groups:
        parts.append(number[at : at + size])
        at += size
    return rng.choice(("", " ", "-")).join(parts)


def iban(rng: random.Random) -> str:
    """Return a bank account's number, whole or in groups of four."""
    country, bank, digits = rng.choice(
        (
            ("DE", "", 18),
            ("GB", "NWBK", 14),
            ("ES", "", 20),
            ("FR", "", 23),
            ("IT", "X", 22),
            ("PT", "", 21),
            ("NL", "ABNA", 10),
        )
    )
    account = bank + letters(rng, digits, DIGITS)
    number = int("".join(str(int(c, 36)) for c in account + country + "00"))
    whole = f"{country}{98 - number % 97:02d}{account}"
    return rng.choice((whole, " ".join(whole[i : i + 4] for i in range(0, len(whole), 4))))


THINGS: dict[str, Make] = {
    "password": password,
    "pin": pin,
    "door": pin,
    "once": once,
    "key": key,
    "recovery": recovery,
    "seed": seed,
}
SPEECHES: dict[str, Speech] = {
    "en": Speech(
        {
            "password": (
                "Password",
                "password",
                "Wifi password",
                "Passphrase",
                "Passcode",
                "pw",
                "Admin password",
            ),
            "pin": ("PIN", "Card PIN", "SIM PIN"),
            "door": ("Alarm code", "Door code", "Gate code", "Safe combination"),
            "once": ("Verification code", "One-time code", "OTP", "Login code"),
            "key": ("API key", "Access token", "Token", "Secret", "Private key", "Client secret"),
            "recovery": ("Recovery code", "Backup code"),
            "seed": ("Seed phrase", "Recovery phrase", "Mnemonic"),
        },
        {
            "password": (
                "the password is {}",
                "The password for the NAS is {}.",
                "my router's password is now {}",
                "I changed the password to {} today",
                "log in as mara with password {} please",
                "{} is the new password",
                "the wifi password was reset to {}, tell nobody",
                "use {} as the password",
                "the password's {}",
                "password for db1.example.com is {}",
                "login is mara / {}",
                "credentials: admin:{}",
                "log in with mara / {}",
                "username mara, password {}",
            ),
            "pin": (
                "my PIN is {}",
                "I set my bank PIN to {}",
                "the pin for the card is {}",
                "PIN {} for the bank card",
            ),
            "door": (
                "the alarm code is {}",
                "the code for the gate is {}",
                "use code {} for the garage",
                "the garage door code is {}#",
            ),
            "once": ("your code is {}", "the verification code is {}", "{} is your login code"),
            "key": (
                "the api key is {}",
                "our deploy token is {}, keep it safe",
                "my session cookie is {}",
                "use the token {} for it",
                "the private key of my wallet is {}",
            ),
            "recovery": ("my recovery codes are {}", "a backup code for github is {}"),
            "seed": ("my seed phrase is {}", "the recovery phrase for the wallet: {}"),
        },
        (
            ("Hi, for later: ", " Thanks!"),
            ("", ""),
            ("Please note. ", " and do not lose it."),
            ("Here you go\n", "\nSee you"),
        ),
    ),
    "de": Speech(
        {
            "password": ("Passwort", "Kennwort", "WLAN-Passwort", "Admin-Kennwort", "Passphrase"),
            "pin": ("PIN", "PIN-Code", "Geheimzahl"),
            "door": ("Alarmcode", "Türcode", "Zugangscode", "Code für die Haustür"),
            "once": ("Bestätigungscode", "Einmalcode", "TAN", "SMS-Code"),
            "key": ("API-Schlüssel", "API-Key", "Zugriffstoken", "Geheimer Schlüssel"),
            "recovery": ("Wiederherstellungscode", "Backup-Code"),
            "seed": ("Seed-Phrase", "Wiederherstellungsphrase"),
        },
        {
            "password": (
                "Das Passwort ist {}",
                "Das Passwort lautet {}.",
                "das Kennwort für den Server ist jetzt {}",
                "Ich habe das Passwort auf {} geändert",
                "{} ist das neue Passwort",
                "melde dich mit Passwort {} an",
                "Zugangsdaten: mara / {}",
                "Benutzer mara, Passwort {}",
                "das WLAN-Passwort wurde auf {} geändert",
                "nimm {} als Kennwort",
            ),
            "pin": ("meine PIN ist {}", "die PIN der Karte lautet {}", "die Geheimzahl ist {}"),
            "door": ("der Alarmcode ist {}", "der Code für das Tor ist {}", "der Türcode lautet {}"),
            "once": ("dein Code ist {}", "der Bestätigungscode lautet {}", "{} ist Ihr Einmalcode"),
            "key": ("der API-Schlüssel ist {}", "das Token lautet {}", "mein Schlüssel ist {}"),
            "recovery": ("meine Wiederherstellungscodes sind {}", "der Backup-Code lautet {}"),
            "seed": ("meine Seed-Phrase ist {}", "die Wiederherstellungsphrase lautet: {}"),
        },
        (
            ("Hallo, für später: ", " Danke!"),
            ("", ""),
            ("Merk dir bitte: ", " und nicht verlieren."),
            ("Übrigens\n", "\nGrüße"),
        ),
    ),
    "es": Speech(
        {
            "password": ("Contraseña", "contraseña", "Contraseña del wifi", "Contrasena"),
            "pin": ("PIN", "Código PIN"),
            "door": ("Código de la alarma", "Código de acceso", "Código de la puerta"),
            "once": ("Código de verificación", "Código de seguridad"),
            "key": ("Clave API", "Token de acceso", "Clave secreta", "Token"),
            "recovery": ("Código de recuperación", "Código de respaldo"),
            "seed": ("Frase semilla", "Frase de recuperación"),
        },
        {
            "password": (
                "la contraseña es {}",
                "La contraseña del servidor es {}.",
                "cambié la contraseña a {}",
                "{} es la contraseña nueva",
                "la contraseña ahora es {}",
                "usuario mara, contraseña {}",
                "entra con la contraseña {}",
                "credenciales: mara / {}",
                "usa {} como contraseña",
            ),
            "pin": ("mi PIN es {}", "el pin de la tarjeta es {}"),
            "door": ("el código de la alarma es {}", "el código de la puerta es {}"),
            "once": ("tu código es {}", "el código de verificación es {}"),
            "key": ("la clave de la API es {}", "el token es {}"),
            "recovery": ("mis códigos de recuperación son {}", "el código de respaldo es {}"),
            "seed": ("mi frase semilla es {}", "la frase de recuperación: {}"),
        },
        (
            ("Hola, para luego: ", " ¡Gracias!"),
            ("", ""),
            ("Apunta. ", " y no la pierdas."),
            ("Aquí va\n", "\nSaludos"),
        ),
    ),
    "fr": Speech(
        {
            "password": ("Mot de passe", "mot de passe", "MDP", "Mot de passe du wifi"),
            "pin": ("Code PIN", "PIN"),
            "door": ("Code de l'alarme", "Code d'accès", "Digicode", "Code de la porte"),
            "once": ("Code de vérification", "Code de sécurité"),
            "key": ("Clé API", "Jeton (token)", "Clé secrète", "Token"),
            "recovery": ("Code de récupération", "Code de secours"),
            "seed": ("Phrase de récupération", "Phrase mnémonique"),
        },
        {
            "password": (
                "le mot de passe est {}",
                "Le mot de passe du serveur est {}.",
                "j'ai changé le mot de passe en {}",
                "{} est le mot de passe",
                "le mot de passe est maintenant {}",
                "utilisateur mara, mot de passe {}",
                "connecte-toi avec le mot de passe {}",
                "identifiants : mara / {}",
                "mets {} comme mot de passe",
            ),
            "pin": ("mon code PIN est {}", "le PIN de la carte est {}"),
            "door": ("le code de l'alarme est {}", "le code du portail est {}"),
            "once": ("votre code est {}", "le code de vérification est {}"),
            "key": ("la clé API est {}", "le token est {}"),
            "recovery": ("mes codes de récupération sont {}", "le code de secours est {}"),
            "seed": ("ma phrase de récupération est {}", "la phrase mnémonique : {}"),
        },
        (
            ("Salut, pour plus tard : ", " Merci !"),
            ("", ""),
            ("Note bien. ", " et ne le perds pas."),
            ("Voilà\n", "\nÀ bientôt"),
        ),
    ),
    "pt": Speech(
        {
            "password": ("Senha", "senha", "Palavra-passe", "Senha do wifi"),
            "pin": ("PIN", "Código PIN"),
            "door": ("Código do alarme", "Código de acesso", "Código do portão"),
            "once": ("Código de verificação", "Código de segurança"),
            "key": ("Chave da API", "Token de acesso", "Chave secreta", "Token"),
            "recovery": ("Código de recuperação",),
            "seed": ("Frase de recuperação", "Frase semente"),
        },
        {
            "password": (
                "a senha é {}",
                "A senha do servidor é {}.",
                "mudei a senha para {}",
                "{} é a senha nova",
                "a senha agora é {}",
                "usuário mara, senha {}",
                "entra com a senha {}",
                "credenciais: mara / {}",
                "usa {} como senha",
            ),
            "pin": ("o meu PIN é {}", "o pin do cartão é {}"),
            "door": ("o código do alarme é {}", "o código do portão é {}"),
            "once": ("o seu código é {}", "o código de verificação é {}"),
            "key": ("a chave da API é {}", "o token é {}"),
            "recovery": ("os códigos de recuperação são {}", "o código de recuperação é {}"),
            "seed": ("a minha frase de recuperação é {}", "a frase semente: {}"),
        },
        (
            ("Olá, para depois: ", " Obrigado!"),
            ("", ""),
            ("Anota. ", " e não percas."),
            ("Aqui está\n", "\nAté logo"),
        ),
    ),
    "it": Speech(
        {
            "password": ("Password", "password", "Password del wifi", "Parola d'ordine"),
            "pin": ("PIN", "Codice PIN"),
            "door": ("Codice dell'allarme", "Codice di accesso", "Codice del cancello"),
            "once": ("Codice di verifica", "Codice di sicurezza"),
            "key": ("Chiave API", "Token di accesso", "Chiave segreta", "Token"),
            "recovery": ("Codice di recupero",),
            "seed": ("Frase di recupero", "Frase seed"),
        },
        {
            "password": (
                "la password è {}",
                "La password del server è {}.",
                "ho cambiato la password in {}",
                "{} è la password nuova",
                "la password adesso è {}",
                "utente mara, password {}",
                "entra con la password {}",
                "credenziali: mara / {}",
                "usa {} come password",
            ),
            "pin": ("il mio PIN è {}", "il pin della carta è {}"),
            "door": ("il codice dell'allarme è {}", "il codice del cancello è {}"),
            "once": ("il tuo codice è {}", "il codice di verifica è {}"),
            "key": ("la chiave API è {}", "il token è {}"),
            "recovery": ("i codici di recupero sono {}", "il codice di recupero è {}"),
            "seed": ("la mia frase di recupero è {}", "la frase seed: {}"),
        },
        (
            ("Ciao, per dopo: ", " Grazie!"),
            ("", ""),
            ("Segna. ", " e non perderla."),
            ("Ecco\n", "\nA presto"),
        ),
    ),
    "zh": Speech(
        {
            "password": ("密码", "登录密码", "WiFi密码", "口令"),
            "pin": ("PIN", "PIN码"),
            "door": ("门锁密码", "报警密码"),
            "once": ("验证码", "短信验证码"),
            "key": ("API密钥", "密钥", "令牌", "Token"),
            "recovery": ("恢复码", "备用码"),
            "seed": ("助记词",),
        },
        {
            "password": (
                "密码是{}",
                "服务器的密码是 {}。",
                "我把密码改成{}了",
                "{}是新密码",
                "密码现在是{}，别忘了",
                "账号 mara，密码 {}",
                "路由器密码为{}",
            ),
            "pin": ("我的PIN是{}", "PIN码是{}"),
            "door": ("门锁密码是{}",),
            "once": ("验证码是{}", "您的验证码：{}，请勿泄露"),
            "key": ("API密钥是{}", "令牌是 {}"),
            "recovery": ("恢复码是{}",),
            "seed": ("我的助记词是 {}",),
        },
        (("你好，记一下：", "。谢谢"), ("", ""), ("请记住。", "，不要丢。"), ("给你\n", "\n再见")),
    ),
    "ja": Speech(
        {
            "password": ("パスワード", "ログインパスワード", "管理者パスワード"),
            "pin": ("暗証番号", "PIN"),
            "door": ("ドアの暗証番号", "アラームコード"),
            "once": ("認証コード", "確認コード"),
            "key": ("APIキー", "アクセストークン", "シークレットキー"),
            "recovery": ("リカバリーコード", "バックアップコード"),
            "seed": ("シードフレーズ", "リカバリーフレーズ", "ニーモニック"),
        },
        {
            "password": (
                "パスワードは{}です",
                "サーバーのパスワードは {} です。",
                "パスワードを{}に変更しました",
                "{}が新しいパスワードです",
                "パスワードは現在{}、よろしく",
                "ユーザー mara、パスワード {}",
            ),
            "pin": ("暗証番号は{}です", "PINは{}です"),
            "door": ("アラームコードは{}です",),
            "once": ("認証コードは{}です", "確認コード：{}"),
            "key": ("APIキーは{}です", "トークンは {} です"),
            "recovery": ("リカバリーコードは{}です",),
            "seed": ("シードフレーズは {} です",),
        },
        (("こんにちは。メモ：", "。よろしく"), ("", ""), ("覚えて。", "。"), ("どうぞ\n", "\nまた")),
    ),
}

_Markup = Callable[[str, str], str]
MARKUPS: dict[str, _Markup] = {
    "plain": lambda noun, value: f"{noun}: {value}",
    "narrow": lambda noun, value: f"{noun}:{value}",
    "full-width": lambda noun, value: f"{noun}：{value}",
    "equals": lambda noun, value: f"{noun} = {value}",
    "arrow": lambda noun, value: f"{noun} -> {value}",
    "long-arrow": lambda noun, value: f"{noun} → {value}",
    "bold": lambda noun, value: f"**{noun}:** {value}",
    "bold-outside": lambda noun, value: f"**{noun}**: {value}",
    "bold-value": lambda noun, value: f"{noun}: **{value}**",
    "backticks": lambda noun, value: f"{noun}: `{value}`",
    "bold-backticks": lambda noun, value: f"**{noun}:** `{value}`",
    "italic": lambda noun, value: f"_{noun}:_ {value}",
    "bullet": lambda noun, value: f"- {noun}: {value}\n- URL: https://intranet.example/",
    "bold-bullet": lambda noun, value: f"- **{noun}:** {value}",
    "numbered": lambda noun, value: f"1. {noun}: {value}\n2. Team",
    "heading": lambda noun, value: f"### {noun}\n\n`{value}`\n",
    "fence": lambda noun, value: f"{noun}:\n```\n{value}\n```",
    "row": lambda noun, value: f"| Host | db1 |\n|---|---|\n| {noun} | {value} |",
    "bold-row": lambda noun, value: f"| **{noun}** | `{value}` |",
    "column": lambda noun, value: f"| Host | User | {noun} |\n|---|---|---|\n| db1 | mara | {value} |\n",
    "tag": lambda noun, value: f"<{_tag(noun)}>{value}</{_tag(noun)}>",
    "cell": lambda noun, value: f"<tr><td>{noun}</td><td>{value}</td></tr>",
    "strong": lambda noun, value: f"<p><strong>{noun}:</strong> <code>{value}</code></p>",
    "json": lambda noun, value: json.dumps({"host": "db1", noun: value, "port": 5432}, ensure_ascii=False),
    "escaped-json": lambda noun, value: json.dumps(
        json.dumps({noun: value, "n": 1}, ensure_ascii=False), ensure_ascii=False
    ),
    "named-json": lambda noun, value: json.dumps({"name": noun, "value": value}, ensure_ascii=False),
    "yaml": lambda noun, value: f"login:\n  user: mara\n  {noun}: {value}\n  port: 22",
    "yaml-quoted": lambda noun, value: f'- {noun}: "{value}"',
    "yaml-block": lambda noun, value: f"{noun}: |\n  {value}\nport: 22",
    "yaml-folded": lambda noun, value: f"{noun}: >-\n    {value}\n",
    "quoted": lambda noun, value: f'{noun}: "{value}"',
    "quoted-both": lambda noun, value: f"'{noun}': '{value}',",
    "typographic": lambda noun, value: f"{noun}: „{value}“",
    "quotation": lambda noun, value: f"> {noun}: {value}",
    "brackets": lambda noun, value: f"{noun} (mara): {value}",
    "chat": lambda noun, value: f"[10:42] mara: {noun}: {value}",
}


def _tag(noun: str) -> str:
    return re.sub(r"\W+", "-", noun).strip("-")


# A one-time code and a PIN are not laid out as data; a seed's words are no single token.
_LOOSE = (
    "plain",
    "full-width",
    "bold",
    "bold-outside",
    "bold-value",
    "backticks",
    "bold-backticks",
    "bullet",
    "row",
    "arrow",
    "fence",
    "quoted",
    "yaml-block",
    "brackets",
    "bold-bullet",
    "strong",
)


def tellings(each: int, rng: random.Random) -> Iterator[Telling]:
    """Yield *each* tellings of every thing in every language and form."""
    for language, speech in SPEECHES.items():
        for thing, make in THINGS.items():
            for number in range(each):
                for form, markup in MARKUPS.items():
                    if thing in ("password", "key") or form in _LOOSE:
                        value = make(rng)
                        yield _told(
                            rng,
                            speech,
                            language,
                            thing,
                            form,
                            value,
                            markup(rng.choice(speech.nouns[thing]), value),
                        )
                for sentence in speech.sentences[thing]:
                    value = make(rng)
                    before, after = rng.choice(speech.around)
                    text = before + sentence.format(value) + (after if number % 2 else "")
                    yield Telling(language, thing, "sentence", value, text)
        for _ in range(each):
            for thing, make in (("card", luhn), ("account", iban)):
                value = make(rng)
                before, after = rng.choice(speech.around)
                yield Telling(language, thing, "number", value, f"{before}{value}{after}")


def _told(
    rng: random.Random, speech: Speech, language: str, thing: str, form: str, value: str, text: str
) -> Telling:
    before, after = rng.choice(speech.around) if form in ("plain", "bold", "arrow", "backticks") else ("", "")
    return Telling(
        language,
        thing,
        form,
        value,
        (before if before.endswith("\n") or not before else f"{before}\n")
        + text
        + (f"\n{after}" if after else ""),
    )


SHELL = (
    "docker login registry.example -u mara -p {}",
    "podman login -u mara --password {} quay.example",
    "redis-cli -h cache1 -a {} ping",
    "openssl rsa -in k.pem -passin pass:{} -out k2.pem",
    "openssl enc -aes-256-cbc -in a -out b -pass pass:{}",
    "7z x backup.7z -p{}",
    "zip -r -P {} out.zip docs",
    "unzip -P {} in.zip",
    "unrar x -p{} in.rar",
    "mysql -h db1 -u root -p{} ledger",
    "mysqldump -uroot -p'{}' ledger > x.sql",
    "sshpass -p {} ssh mara@host",
    "curl -u mara:{} https://api.example/",
    "curl --user mara:{} https://api.example/",
    "wget --user=mara --password={} https://x.example/",
    "mongosh --host db1 -u mara -p {} --authenticationDatabase admin",
    "ldapsearch -x -D cn=admin -w {} -b dc=example",
    "smbclient //nas/share -U mara%{}",
    "sqlcmd -S db1 -U sa -P {} -Q 'select 1'",
    "echo 'mara:{}' | chpasswd",
    "echo {} | sudo -S apt update",
    "htpasswd -bc .htpasswd mara {}",
    "gpg --batch --passphrase {} -d x.gpg",
    "keytool -list -keystore k.jks -storepass {}",
    "export DB_PASSWORD={}",
    "PGPASSWORD={} psql -h db1",
    "ansible-playbook x.yml -e ansible_become_password={}",
    "mount -t cifs //nas/s /mnt -o username=mara,password={}",
    "cqlsh -u mara -p {} db1",
    "net use z: \\\\nas\\s /user:mara password:{}",
    "$env:DB_PASSWORD = '{}'",
    "set DB_PASSWORD={}",
)
ENV = (
    "SECRET_KEY_BASE={}",
    "API_KEY_PROD={}",
    "STRIPE_SECRET={}",
    "JWT_SECRET={}",
    "SESSION_SECRET='{}'",
    'DJANGO_SECRET_KEY="{}"',
    "export ENCRYPTION_KEY={}",
    "NEXTAUTH_SECRET={} # local",
    "APP_KEY=base64:{}",
    "- SENTRY_AUTH_TOKEN={}",
    "secret_key_base: {}",
    "Cookie: JSESSIONID={}; theme=dark",
    "document.cookie = 'PHPSESSID={}'",
    "connect.sid=s%3A{}",
    "session cookie: sid={}",
    "https://x.example/?access_token={}&page=2",
    "https://x.example/cb?code=1&client_secret={}",
    "x-api-key: {}",
    "'X-Auth-Token': '{}'",
)


def commanded(each: int, rng: random.Random) -> Iterator[Telling]:
    """Yield secrets in commands and settings."""
    for thing, texts, make in (("command", SHELL, typed), ("setting", ENV, key)):
        for text in texts:
            for _ in range(each):
                value = make(rng)
                yield Telling("code", thing, text.split("{}")[0][:40], value, text.format(value))
