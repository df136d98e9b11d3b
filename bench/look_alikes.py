"""Texts that look as if they held a secret and hold none, drawn anew by seed: all of it stays.

What people and programs write around the words (a password that is wrong, a PIN on a board, a
token budget, code that reads a variable) and values that only have the form of one (hashes, order numbers,
wrong checksums).
"""

from __future__ import annotations

import base64
import random
import uuid
from collections.abc import Callable, Iterator

from bench.secret_speech import DIGITS, HEX, UPPER, iban, letters, luhn, word

SAID = """
the password is on the fridge
I forgot my password again
my password does not work any more, I reset it yesterday
the password is the same as before
the password is correct
The password was provided by the customer
a password is required
we should hash passwords with bcrypt
password: required
password: optional, at least 12 characters
passwords must have 8 characters and a digit
the password field is empty
Password reset was sent to mara@example.com
change your password every 90 days
the password expires in 30 days
she told me her password once, in 2019
password manager: 1Password or Bitwarden
we use password hashing (bcrypt, cost 12)
I asked Priya for the password and she said no
the password for the NAS is in the safe
the passphrase is longer than before
passphrase: see the vault
PIN it on the board
Pin the 3 newest notes to the top
pin 13 of the Arduino is an LED
GPIO pin 17 is high
the map has a pin at 48.137154, 11.576124
we pinned numpy to 1.26.4
pins 2 and 3 are swapped
The PIN pad is broken since 2024
The code is 42 lines long
the error code is 4711
exit code 137 means out of memory
zip code 80331 Munich
the status code was 404
area code 415 is San Francisco
country code 49
the promo code is on the flyer
Code review at 14:30 on 2026-11-20
see the code at line 1042
error code 0x80070005 at login
the dress code is casual
code coverage is 87.5 % now
barcode 4006381333931
the alarm went off at 06:45
the alarm code has to be changed
the door code is with the neighbour
the token is expired
token budget: 4000
max_tokens=8192, temperature=0.7
we used 48,123 tokens today
input tokens: 124769, output tokens: 2210
1.2 million tokens cost $3.60
a token of appreciation
the token bucket refills at 100 per second
the key is to keep it short
primary key id bigserial, foreign key invoice_id
press any key to continue
the key for the shed hangs in the hall
Key: value pairs are sorted
key findings: revenue grew 12 % in 2025
keyboard layout de-nodeadkeys
the API key is in the vault, not here
API key: see 1Password
API keys are rotated every 90 days
secret santa is on 2026-12-06
the secret ingredient is nutmeg
it is no secret that we moved to Postgres 16
our trade secret is the recipe
Secret Service, 2 agents
cookies: 250 g flour, 120 g butter
the cookie banner shows up 3 times
the session is at 15:00 in room B12
session id 6f1c8a52-93d4-4e0b-8a2f-1f9d3c5b7e64
login at 9:00, logout at 17:30
the login page takes 3.2 s
login: see the wiki
log in as admin to change it
sign in with Google
my login does not work since 10:42
credentials are in 1Password
wrong credentials, 3 of 5 attempts left
we seed the database with 1200 rows
seed 42 gives the same result
np.random.seed(20261120)
the wallet is brown and was lost near the park with some cash and two old photos in it
the phrase that she used most was that we should never have gone there in the first place
seed companies want to grow more corn next year when rain will come early
I wrote my seed phrase on steel and put it under the old oak tree
the recovery phrase has 24 words
the card is a Visa and ends in 4242
the card expires 12/27
please pay by card, 49.90 EUR
das Passwort ist falsch
Das Passwort ist abgelaufen und muss geändert werden
das Passwort ist geheim
Das Kennwort ist zu kurz
Passwort vergessen? Klicke hier
das Passwort steht im Tresor
die PIN ist gesperrt
die PIN kommt per Post in 3 Tagen
Der Code ist fertig
der Code läuft seit 2 Wochen
das Token ist abgelaufen
Schlüssel liegt unter der Matte
der Schlüssel für Raum 4711 fehlt
la contraseña es incorrecta
olvidé mi contraseña
la contraseña caduca en 30 días
la clave del éxito es la paciencia
la clave es escuchar
el código tiene 300 líneas
el token ha caducado
le mot de passe est incorrect
j'ai oublié mon mot de passe
le mot de passe expire dans 30 jours
la clé est sous le paillasson
le code compte 300 lignes
a senha está errada
esqueci a minha senha
a senha expira em 30 dias
a chave do carro sumiu
la password è sbagliata
ho dimenticato la password
la chiave è nel cassetto
la parola è d'argento, il silenzio è d'oro
密码错误，请重试
我忘记密码了
密码是错的
钥匙在桌上
パスワードが間違っています
パスワードを忘れました
コードは300行です
キーボードが壊れました
пароль неверный
wachtwoord vergeten
house code: DE-10115
login / page 3
last login: Mon Nov 16 08:41:35 2026 from 10.0.0.5
confirmation: booking XK4P2Q
Booking reference: QX7R2M, flight LH1234
recovery time objective 4 hours
phrase: to be or not to be that is the question whether tis nobler
Das Passwort wurde am 2026-11-20 geändert
Passwort: siehe Tresor
Zugang zum Raum 4711 ab 08:00
le code postal est 75011
""".strip().splitlines()
CODE = r"""
password: str
password: string;
token: str | None = None
def login(user: str, password: str) -> Token:
password = getpass.getpass()
password = os.environ["DB_PASSWORD"]
password = config.get("password")
const token = await getToken();
apiKey: process.env.OPENAI_API_KEY
api_key=settings.api_key
DB_PASSWORD=${DB_PASSWORD}
DB_PASSWORD=<your password>
PASSWORD=
SECRET_KEY_BASE=$(openssl rand -hex 64)
password: [redacted:password]
password: ********
"password": "***"
token: AKIA…
secret: sk-...
<input type="password" name="password" autocomplete="current-password">
if (!password) throw new Error("Password required")
if password == "":
assert token is not None
self.token = token
tokens = tokenizer.encode(text)
tokens[i] == tokens[i + 1]
for key, value in items.items():
key=lambda pair: pair[1]
sorted(rows, key=itemgetter(1))
map.get(key) ?? defaultValue
cache_key = f"user:{user_id}:profile"
{"key": "value", "n": 3}
"childSessionKey": "agent:main:subagent:008bfc99-806c-4feb-ba48-e46dee2481f8"
sessionKey: "agent:main:telegram:group:-1002233441"
"totalTokens": 124769, "cost": 0.05
max_tokens_per_day: 200000
token_url: https://auth.example/oauth/token
password_file: /run/secrets/db_password
secretName: billing-tls
secretKeyRef:
  name: billing-db
password_hash(password, cost=12)
validate_password(min_length=12, max_length=128)
password_reset_expires_at timestamp not null
git checkout feature/token-refresh-2
docker run -p 8080:80 nginx
docker run -p 127.0.0.1:5432:5432 postgres:16
ssh -p 2222 mara@db1.example
mkdir -p /srv/app/2026
cp -a /srv/app /srv/backup
tar -xzf backup-2026-11-20.tar.gz
redis-cli -h cache1 -p 6379 ping
mysql -h db1 -u root -p ledger
mysql -h db1 -P 3306 -u root
7z x backup.7z -o/tmp/out
zip -r out.zip docs
curl -u $USER:$TOKEN https://api.example/
curl -a -s https://api.example/v1
ps -p 4711 -o comm
chmod 600 ~/.ssh/id_ed25519
https://example.com/reset-password?step=2
https://example.com/docs/token#refresh
see docs/passwords.md, line 12
tests/test_password_reset.py::test_token_expires PASSED
--- PASS: TestCreditNote/case_01 (0.00s)
PASS: 128, FAIL: 3
| Field | Password | Token |
| name | type | key |
password|passphrase|passcode
| Password | required |
<password></password>
<token/>
ADMIN_PASSWORD_FILE=/run/secrets/admin
PasswordAuthentication no
PermitRootLogin without-password
Bearer token authentication
Authorization: Bearer <token>
basic authentication is off
root:x:0:0:root:/root:/bin/bash
access: read/write2
keys: a1, b2, c3
docker run -d -p 5432:5432 -e POSTGRES_USER=app postgres
code 1042 raised ValueError
credentials: include
""".strip().splitlines()
Shape = Callable[[random.Random], str]
SHAPES: dict[str, Shape] = {
    "commit": lambda rng: f"commit {letters(rng, 40, HEX)}",
    "short commit": lambda rng: f"fixed in {letters(rng, 7, HEX)}, see the log",
    "uuid": lambda rng: f"id {uuid.UUID(int=rng.getrandbits(128))}",
    "digest": lambda rng: f"sha256:{letters(rng, 64, HEX)}  backup.tar.gz",
    "order": lambda rng: f"order number {letters(rng, 10, DIGITS)} was shipped",
    "long order": lambda rng: f"Order no. 1{letters(rng, 15, DIGITS)}",
    "phone": lambda rng: f"call me at +49 {letters(rng, 3, '1567')} {letters(rng, 8, DIGITS)}",
    "phone us": lambda rng: (
        f"phone ({rng.randrange(200, 999)}) {rng.randrange(200, 999)}-{rng.randrange(1000, 9999)}"
    ),
    "isbn": lambda rng: f"ISBN 978-3-{letters(rng, 5, DIGITS)}-{letters(rng, 3, DIGITS)}-{rng.randrange(10)}",
    "tracking": lambda rng: f"tracking 1Z{letters(rng, 6, UPPER + DIGITS)}{letters(rng, 10, DIGITS)}",
    "parcel": lambda rng: f"DHL 00{letters(rng, 18, DIGITS)}",
    "no card": lambda rng: f"number {_broken(rng, luhn(rng))}",
    "no account": lambda rng: f"account {_broken(rng, iban(rng))}",
    "words": lambda rng: " ".join(word(rng) for _ in range(12)),
    "price": lambda rng: (
        f"{rng.randrange(1, 9999)}.{letters(rng, 2, DIGITS)} EUR on 2026-11-{rng.randrange(10, 30)}"
    ),
    "version": lambda rng: (
        f"release {rng.randrange(9)}.{rng.randrange(20)}.{rng.randrange(30)}-rc{rng.randrange(9)}"
    ),
    "colour": lambda rng: f"the button is #{letters(rng, 6, HEX)}",
    "file": lambda rng: f"IMG_{letters(rng, 8, DIGITS)}_{letters(rng, 6, DIGITS)}.jpg is the photo",
    "caption": lambda rng: "data:image/png;name=" + base64.b64encode(word(rng, 6, 9).encode()).decode(),
    "time": lambda rng: f"at 17{letters(rng, 11, DIGITS)} the run began",
    "snowflake": lambda rng: f"channel 1{letters(rng, 17, DIGITS)}",
    "address": lambda rng: (
        f"10.0.{rng.randrange(255)}.{rng.randrange(255)}:54{rng.randrange(10, 99)} answered"
    ),
    "mac": lambda rng: "mac " + ":".join(letters(rng, 2, HEX) for _ in range(6)),
    "fraction": lambda rng: f"loss 0.{letters(rng, 16, DIGITS)} after {rng.randrange(9999)} steps",
    "invoice": lambda rng: f"invoice RE-2026-{letters(rng, 5, DIGITS)} is due",
    "flight": lambda rng: f"flight LH{rng.randrange(100, 3999)} to Lisbon, seat {rng.randrange(1, 40)}A",
}


def _broken(rng: random.Random, number: str) -> str:
    """Return *number* with its last digit changed, so that its sum is wrong."""
    return number[:-1] + str((int(number[-1]) + rng.randrange(1, 9)) % 10)


def look_alikes(rng: random.Random, each: int = 10) -> Iterator[str]:
    """Yield what was said, code, and *each* of every shape."""
    yield from SAID
    yield from CODE
    for shape in SHAPES.values():
        for _ in range(each):
            yield shape(rng)
