"""The shapes of well-known tokens: one line a kind, each beginning with letters that give it away.

Only shapes whose beginning and length make an accident unlikely; what has no shape of its own (a
password, a bare hexadecimal key) is found by the words around it, in scrimshaw/redact. Lengths are
minima, bounded above, so that a longer new generation of a token is still caught and no pattern
can run away. A kind may have several lines.
"""

from __future__ import annotations

import re

_ALNUM, _HEX, _WORD = "[A-Za-z0-9]", "[0-9a-f]", r"[\w-]"
_BASE58 = "[1-9A-HJ-NP-Za-km-z]"
_UUID = rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"

# (kind, pattern): the first character is a literal or a small class; patterns are grouped by it.
SHAPES: tuple[tuple[str, str], ...] = (
    # clouds and hosting
    ("aws-key", r"A(?:KIA|SIA|BIA|CCA|IDA|ROA|GPA|IPA|NPA|NVA)[A-Z0-9]{16,20}"),
    ("aws-bedrock-key", r"ABSK[A-Za-z0-9+/]{90,280}={0,2}"),
    ("gcp-key", rf"AIza{_WORD}{{35,40}}"),
    ("google-oauth-token", rf"ya29\.{_WORD}{{20,400}}"),
    ("google-oauth-secret", rf"GOCSPX-{_WORD}{{24,40}}"),
    ("google-refresh-token", rf"1//0{_WORD}{{30,200}}"),
    ("alibaba-key", rf"LTAI{_ALNUM}{{17,24}}"),
    ("tencent-key", rf"AKID{_ALNUM}{{28,40}}"),
    ("digitalocean-token", rf"d(?:op|oo|or)_v1_{_HEX}{{60,70}}"),
    ("heroku-key", rf"HRKU-{_WORD}{{36,80}}"),
    ("fly-token", rf"f(?:o1|m1[ar]|m2)_{_WORD}{{30,500}}"),
    ("render-key", rf"rnd_{_ALNUM}{{28,60}}"),
    ("netlify-token", rf"nfp_{_ALNUM}{{30,60}}"),
    ("cloudflare-ca-key", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{120,160}}"),
    ("supabase-key", rf"sb(?:p_{_HEX}{{40,50}}|_secret_{_WORD}{{20,60}})"),
    ("planetscale-key", rf"pscale_(?:tkn|pw|oauth)_{_WORD}{{30,80}}"),
    ("neon-key", rf"napi_{_ALNUM}{{50,80}}"),
    ("databricks-token", rf"dapi{_HEX}{{32}}(?:-\d)?"),
    ("mongodb-secret", rf"mdb_sa_sk_{_WORD}{{36,60}}"),
    ("vault-token", rf"hv[sbr]\.{_WORD}{{24,300}}"),
    ("terraform-token", rf"{_ALNUM}{{14}}\.atlasv1\.{_WORD}{{60,80}}"),
    ("doppler-token", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_ALNUM}{{40,50}}"),
    ("pulumi-token", rf"pul-{_HEX}{{40}}"),
    ("onepassword-token", r"ops_eyJ[A-Za-z0-9+/]{80,2000}={0,2}"),
    ("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,64}"),
    ("tailscale-key", rf"tskey-[a-z]{{2,12}}-{_ALNUM}{{8,40}}(?:-{_ALNUM}{{16,60}})?"),
    # code hosts, registries, build
    ("github-token", rf"gh[pousr]_{_ALNUM}{{36,255}}"),
    ("github-token", r"github_pat_\w{50,100}"),
    ("gitlab-token", rf"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-{_WORD}{{20,100}}"),
    ("bitbucket-token", rf"ATBB{_ALNUM}{{28,60}}"),
    ("atlassian-token", rf"AT[AC]TT3{_WORD}{{60,250}}(?:=[0-9A-Fa-f]{{8}})?"),
    ("npm-token", rf"npm_{_ALNUM}{{36,60}}"),
    ("pypi-token", rf"pypi-AgE{_WORD}{{50,250}}"),
    ("rubygems-key", rf"rubygems_{_HEX}{{48}}"),
    ("crates-token", rf"cio{_ALNUM}{{32}}"),
    ("docker-token", rf"dckr_[po]at_{_WORD}{{24,50}}"),
    ("nuget-key", r"oy2[a-z0-9]{43}"),
    ("clojars-token", r"CLOJARS_[a-z0-9]{60}"),
    ("jfrog-key", rf"AKCp{_ALNUM}{{60,75}}"),
    ("circleci-token", r"CCIP(?:AT|RJ)_\w{40,100}"),
    ("buildkite-token", rf"bk(?:ua|ct)_{_HEX}{{40}}"),
    ("sonar-token", rf"sq[apu]_{_HEX}{{40}}"),
    ("prefect-key", rf"pn[ub]_{_ALNUM}{{36}}"),
    # chat
    ("slack-token", rf"xox[abeoprs](?:\.xox[bp])?-{_WORD}{{20,250}}"),
    ("slack-token", rf"x(?:app|wfp)-\d-{_WORD}{{20,250}}"),
    ("discord-token", rf"[MNO]{_WORD}{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,40}}"),
    ("telegram-token", rf"\d{{8,10}}:AA{_WORD}{{32,35}}"),
    # payment and shops
    ("stripe-key", rf"[sr]k_(?:live|test)_{_ALNUM}{{16,250}}"),
    ("stripe-webhook-secret", r"whsec_[A-Za-z0-9+/]{24,80}={0,2}"),
    ("square-token", rf"sq0[a-z]{{3}}-{_WORD}{{22,50}}"),
    ("square-token", rf"EAAA{_WORD}{{56,64}}"),
    ("shopify-token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("plaid-token", rf"access-(?:sandbox|development|production)-{_UUID}"),
    ("flutterwave-key", r"FLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,40}(?:-X)?"),
    ("razorpay-key", rf"rzp_(?:live|test)_{_ALNUM}{{14,40}}"),
    ("shippo-token", rf"shippo_(?:live|test)_{_HEX}{{40}}"),
    ("easypost-key", rf"EZ[AT]K{_ALNUM}{{54}}"),
    ("duffel-token", rf"duffel_(?:live|test)_{_WORD}{{40,60}}"),
    # models
    ("anthropic-key", rf"sk-ant-{_WORD}{{24,200}}"),
    ("openrouter-key", rf"sk-or-(?:v1-)?{_HEX}{{40,80}}"),
    ("langfuse-key", rf"sk-lf-{_UUID}"),
    ("openai-key", rf"sk-(?:proj|svcacct|admin|None)-{_WORD}{{20,250}}"),
    ("api-key", rf"sk-{_ALNUM}{{20,100}}"),  # OpenAI's first form, DeepSeek, Moonshot and others
    ("huggingface-token", r"hf_[A-Za-z]{34}"),
    ("huggingface-token", rf"hf_{_ALNUM}{{30,50}}"),
    ("replicate-token", rf"r8_{_ALNUM}{{37,42}}"),
    ("groq-key", rf"gsk_{_ALNUM}{{40,60}}"),
    ("xai-key", rf"xai-{_ALNUM}{{60,100}}"),
    ("perplexity-key", rf"pplx-{_ALNUM}{{40,60}}"),
    ("together-key", rf"tgp_v1_{_WORD}{{40,60}}"),
    ("cerebras-key", r"csk-[a-z0-9]{40,60}"),
    ("nvidia-key", rf"nvapi-{_WORD}{{60,80}}"),
    ("elevenlabs-key", rf"sk_{_HEX}{{48}}"),
    ("langsmith-key", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{8,12}}"),
    ("pinecone-key", r"pcsk_\w{50,90}"),
    ("jina-key", r"jina_\w{40,80}"),
    ("tavily-key", rf"tvly-{_WORD}{{28,60}}"),
    ("e2b-key", rf"e2b_{_HEX}{{40}}"),
    # wallets
    ("wallet-key", rf"[xyztuvYZUV]prv{_BASE58}{{107,108}}(?![A-Za-z0-9])"),
    ("wallet-key", rf"6P{_BASE58}{{56}}(?![A-Za-z0-9])"),
    ("wif-key", rf"[5KL]{_BASE58}{{50,51}}(?![A-Za-z0-9])"),
    ("wallet-key", r"nsec1[ac-hj-np-z02-9]{58}"),
    ("wallet-key", r"S[A-Z2-7]{55}(?![A-Za-z0-9])"),
    # mail, observability, work
    ("sendgrid-key", rf"SG\.{_WORD}{{16,32}}\.{_WORD}{{30,60}}"),
    ("mailgun-key", rf"key-{_HEX}{{32}}"),
    ("mailchimp-key", rf"{_HEX}{{32}}-us\d\d?"),
    ("brevo-key", rf"xkeysib-{_HEX}{{60,66}}-{_ALNUM}{{16}}"),
    ("resend-key", rf"re_{_ALNUM}{{8}}_{_ALNUM}{{20,40}}"),
    ("twilio-key", rf"SK{_HEX}{{32}}"),
    ("twilio-key", rf"AC{_HEX}{{32}}"),
    ("newrelic-key", r"NR(?:AK|JS|II|RA)-[A-Za-z0-9_-]{19,50}"),
    ("grafana-token", rf"glsa_{_ALNUM}{{32}}_[0-9A-Fa-f]{{8}}"),
    ("grafana-token", r"glc_eyJ[A-Za-z0-9+/]{30,400}={0,2}"),
    ("sentry-token", r"sntrys_eyJ[A-Za-z0-9+/=_]{40,600}"),
    ("sentry-token", rf"sntryu_{_HEX}{{64}}"),
    ("dynatrace-token", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("posthog-key", rf"ph[xs]_{_ALNUM}{{40,60}}"),
    ("notion-token", rf"ntn_{_ALNUM}{{40,60}}"),
    ("notion-token", rf"secret_{_ALNUM}{{43}}"),
    ("airtable-token", rf"pat{_ALNUM}{{14}}\.{_HEX}{{64}}"),
    ("linear-key", rf"lin_(?:api|oauth)_{_ALNUM}{{32,64}}"),
    ("clickup-token", r"pk_\d{6,10}_[A-Z0-9]{32}"),
    ("figma-token", rf"fig[dou]r?_{_WORD}{{36,80}}"),
    ("dropbox-token", rf"sl\.(?:u\.|B)?{_WORD}{{100,1500}}"),
    ("contentful-token", rf"CFPAT-{_WORD}{{40,50}}"),
    ("hubspot-token", rf"pat-(?:na|eu|ap)\d-{_UUID}"),
    ("typeform-token", r"tfp_[\w.-]{40,80}"),
    ("postman-key", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    ("readme-key", r"rdme_[a-z0-9]{60,80}"),
    ("mapbox-token", rf"sk\.eyJ{_WORD}{{30,200}}\.{_WORD}{{20,40}}"),
    ("facebook-token", rf"EAA{_ALNUM}{{80,300}}"),
    ("twitter-token", r"AAAAAAAAAAAAAAAAAAAAA[A-Za-z0-9%]{40,120}"),
    ("jwt", rf"eyJ{_WORD}{{12,4000}}\.eyJ{_WORD}{{8,8000}}(?:\.{_WORD}{{0,2000}})?"),
    (
        "private-key",
        r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=\s\\]{0,8000}",
    ),  # an OpenSSH key without its first line
)


def _combined() -> re.Pattern[str]:
    """Return one pattern of all shapes, grouped by their first letter; a group's name gives the shape."""
    heads: dict[str, list[str]] = {}
    for number, (_, shape) in enumerate(SHAPES):
        head = re.match(r"\[[^\]]+\]|\\d|\w", shape)
        heads.setdefault(head.group() if head else ".", []).append(f"(?P<s{number}>{shape})")
    branches = [f"(?={head})(?:{'|'.join(shapes)})" for head, shapes in heads.items()]
    return re.compile("|".join(branches))


TOKEN = _combined()
_HEADS = """
AKI ASI ATA dop doo dor fo1 fm1 fm2 ghp gho ghu ghs ghr glp gld glr glc glf gli gla glo gls bku bkc sqa sqp
squ xap xwf sk_ rk_ sq0 shp EZA EZT NRA NRJ NRI NRR lsv lin fig sb_ hvs hvb hvr
"""
# What a token without a digit begins with; the shapes whose first three characters vary are listed.
TOKEN_HEADS = frozenset(_HEADS.split()) | {shape[:3] for _, shape in SHAPES if re.match(r"[\w-]{3}", shape)}


def kind_of(match: re.Match[str]) -> str:
    """Return the kind of the token that TOKEN matched."""
    return SHAPES[int((match.lastgroup or "s0")[1:])][0]
