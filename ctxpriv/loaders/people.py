"""Fixed coarsening rules for the personal attributes of forum corpora.

The rules read a value and nothing else, so a map built from them does not depend on the
records; the age and income bands and the education levels are the paper's (App. B). Money
is converted with the fixed, rounded rates below (US dollars of about 2025, without regard
to purchasing power): good for bands, not for accounts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from ctxpriv.extract.bands import parse_number
from ctxpriv.schema import NOT_STATED, Attribute, Coarsening

AGE_BANDS = ("18–24", "25–34", "35–44", "45–54", "55+")
INCOME_BANDS = ("under 20k", "20–49k", "50–79k", "80–119k", "120k+")
EDUCATION_LEVELS = ("Doctorate", "Master's", "Bachelor's", "High school", "Other education")
REGIONS = (
    "Africa, Middle East and elsewhere",
    "Asia",
    "Europe",
    "Latin America",
    "North America and Oceania",
)
FIELDS = (
    "Health and teaching",
    "Office and technology",
    "Trades, transport and production",
    "Food, retail and services",
    "Arts, study, retired and other",
)

_RATES = (  # the first pattern that matches decides: "Egyptian pounds" before "pounds"
    (r"egyptian|\begp\b", 0.02),
    (r"kenyan|shilling|\bkes\b", 0.0077),
    (r"colombian|\bcop\b", 0.00024),
    (r"argentin|\bars\b", 0.0009),
    (r"mexican|\bmxn\b", 0.055),
    (r"philippine|\bphp\b", 0.0175),
    (r"australian|\baud\b", 0.66),
    (r"canadian|\bcad\b", 0.73),
    (r"new zealand|\bnzd\b", 0.6),
    (r"singapore|\bsgd\b", 0.75),
    (r"hong kong|\bhkd\b", 0.128),
    (r"franc|\bchf\b", 1.13),
    (r"kwacha|\bzmw\b", 0.037),
    (r"swedish|\bsek\b", 0.095),
    (r"norwegian|\bnok\b", 0.095),
    (r"danish|\bdkk\b", 0.145),
    (r"czech|koruna|\bczk\b", 0.043),
    (r"forint|\bhuf\b", 0.0027),
    (r"\brand\b|\bzar\b", 0.055),
    (r"\breal\b|reais|\bbrl\b", 0.18),
    (r"\byen\b|\bjpy\b", 0.0067),
    (r"\bwon\b|\bkrw\b", 0.00072),
    (r"yuan|renminbi|\bcny\b|\brmb\b", 0.14),
    (r"zloty|złoty|\bpln\b", 0.25),
    (r"lira|\btry\b", 0.028),
    (r"naira|\bngn\b", 0.00065),
    (r"rupiah|\bidr\b", 0.000062),
    (r"\btaka\b|\bbdt\b", 0.0083),
    (r"cedi|\bghs\b", 0.085),
    (r"baht|\bthb\b", 0.029),
    (r"\bdong\b|\bvnd\b", 0.00004),
    (r"shekel|\bils\b", 0.27),
    (r"dirham|\baed\b", 0.27),
    (r"riyal|\bsar\b", 0.27),
    (r"ruble|rouble|\brub\b", 0.011),
    (r"rupee|\binr\b|lakh", 0.012),
    (r"euro|\beur\b|€", 1.08),
    (r"pound|\bgbp\b|£", 1.27),
    (r"dollar|\busd\b|\$", 1.0),
)

_REGION_OF = {
    "Europe": """albania andorra austria belarus belgium bosnia bulgaria croatia cyprus czechia czech_republic
        denmark england estonia finland france germany greece hungary iceland ireland italy kosovo latvia
        liechtenstein lithuania luxembourg malta moldova monaco montenegro netherlands north_macedonia
        northern_ireland norway poland portugal romania russia scotland serbia slovakia slovenia spain
        sweden switzerland ukraine uk united_kingdom wales""",
    "Asia": """bangladesh bhutan brunei cambodia china hong_kong india indonesia japan kazakhstan
        kyrgyzstan laos
        malaysia maldives mongolia myanmar nepal north_korea pakistan philippines singapore south_korea
        sri_lanka taiwan tajikistan thailand timor-leste turkmenistan uzbekistan vietnam""",
    "Latin America": """argentina bahamas barbados belize bolivia brazil chile colombia costa_rica cuba
        dominican_republic
        ecuador el_salvador guatemala guyana haiti honduras jamaica mexico nicaragua panama paraguay peru
        puerto_rico suriname trinidad_and_tobago uruguay venezuela""",
    "North America and Oceania": """australia canada fiji new_zealand papua_new_guinea samoa tonga
        united_states us usa vanuatu
        alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho
        illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota
        mississippi missouri montana nebraska nevada new_hampshire new_jersey new_mexico new_york
        north_carolina north_dakota ohio oklahoma oregon pennsylvania rhode_island south_carolina
        south_dakota tennessee texas utah vermont virginia washington west_virginia wisconsin wyoming
        alberta british_columbia manitoba ontario quebec""",
}
_REGIONS = {name.replace("_", " "): region for region, names in _REGION_OF.items() for name in names.split()}

_EDUCATION = (
    (r"ph\.?d|doctora|doctor of|medical degree|degree in medicine|veterinary degree", "Doctorate"),
    (r"student|studying|in progress|some college|no degree", "High school"),
    (r"master|\bmba\b|\bm\.?sc\b|\bma\b", "Master's"),
    (
        r"bachelor|\bb\.?sc\b|\bba\b|(law|engineering|teaching|nursing|pharmacy|university|college) degree",
        "Bachelor's",
    ),
    (
        r"apprentice|trade|vocational|diploma in|(culinary|midwifery|college) diploma|certificate|primary|"
        r"left school|"
        r"lower secondary|associate",
        "Other education",
    ),
    (r"high[- ]?school|secondary|\bged\b|a[- ]levels|abitur", "High school"),
)

_OCCUPATION = (
    (r"retire|student|apprentice", "Arts, study, retired and other"),
    (
        r"nurse|doctor|surgeon|midwife|pharmac|psycholog|therap|dentist|veterinar|paediatr|pediatr|"
        r"care(giver| worker| home)|"
        r"teacher|professor|lecturer|tutor|principal|medic|paramedic|health|social worker|librarian|educat",
        "Health and teaching",
    ),
    (
        r"shop|salesperson|sales (assistant|associate)|retail|waite?r|chef|\bcook\b|barista|bartend|salon|"
        r"hairdress|barber|"
        r"restaurant|hotel|housekeep|security guard|tour guide|seller|call centre agent|cashier|"
        r"customer service|"
        r"flight attendant|clean|market trader|trader in|baker|bakery|small business",
        "Food, retail and services",
    ),
    (
        r"software|developer|programmer|data |engineer(?!ing geolog)|manager|account|analyst|lawyer|"
        r"solicitor|banker|bank |"
        r"officer|consultant|architect|marketing|scientist|\bhr\b|human resources|court reporter|"
        r"astronomer|geolog|"
        r"biolog|agronom|economist|actuary|administrator|secretary|team leader|executive|entrepreneur|"
        r"inspector|"
        r"real estate|insurance|research|tester|\bit\b|attorney|paralegal|civil servant",
        "Office and technology",
    ),
    (
        r"driver|mechanic|electric|plumb|carpent|build|plaster|weld|technician|machin|farm|rider|captain|pilot|factory|"
        r"worker|seamstress|tailor|construct|miner|fisher|courier|repair|firefight|police|soldier",
        "Trades, transport and production",
    ),
)


def age_band(value: str) -> str | None:
    """The paper's five bands; under 18 counts as the first."""
    age = parse_number(value)
    if age is None or not 0 < age < 120:
        return None
    return AGE_BANDS[sum(age >= edge for edge in (25, 35, 45, 55))]


def yearly_dollars(value: str) -> float | None:
    """An income as people write it ("23 thousand euros", "8,500 EGP a month") in dollars a year."""
    amount, text = parse_number(value), value.casefold()
    rate = next((rate for pattern, rate in _RATES if re.search(pattern, text)), None)
    if amount is None or rate is None:
        return None
    monthly = re.search(r"\b(a|per|each|every)( good)? month\b|\bmonthly\b|/month", text)
    return amount * rate * (12 if monthly else 1)


def income_band(value: str) -> str | None:
    """The paper's five bands, in thousands of dollars a year."""
    dollars = yearly_dollars(value)
    return None if dollars is None else INCOME_BANDS[sum(dollars >= e * 1000 for e in (20, 50, 80, 120))]


def region(value: str) -> str:
    """The region of "City, Country" or "City, State"; places not known go to the first."""
    last = value.rsplit(",", 1)[-1].strip().casefold()
    plain = "".join(c for c in unicodedata.normalize("NFKD", last) if not unicodedata.combining(c))
    return _REGIONS.get(plain.removeprefix("the "), REGIONS[0])


def education_level(value: str) -> str:
    """The highest level completed, as the paper's five; people still studying by what they have."""
    text = value.casefold()
    return next((level for pattern, level in _EDUCATION if re.search(pattern, text)), "Other education")


def occupation_field(value: str) -> str:
    text = value.casefold()
    return next((field for pattern, field in _OCCUPATION if re.search(pattern, text)), FIELDS[-1])


RULES: dict[str, tuple[Callable[[str], str | None], tuple[str, ...]]] = {
    "age": (age_band, AGE_BANDS),
    "income": (income_band, INCOME_BANDS),
    "education": (education_level, EDUCATION_LEVELS),
    "occupation": (occupation_field, FIELDS),
    "city_country": (region, REGIONS),
    "birth_city_country": (region, REGIONS),
}
"""Attribute name -> (rule, buckets in display order)."""


def coarsen_by_rule(attribute: Attribute) -> Coarsening | None:
    """The shipped map for an attribute that has a rule, else None.

    `Not stated` and values that the rule cannot read share one bucket, `Not stated`; to keep
    to five buckets the two highest bands then become one.
    """
    if attribute.name not in RULES:
        return None
    rule, buckets = RULES[attribute.name]
    mapping = {v: (None if v == NOT_STATED else rule(v)) or NOT_STATED for v in attribute.values}
    if NOT_STATED in mapping.values():
        joined = {buckets[-2]: _join(buckets[-2:]), buckets[-1]: _join(buckets[-2:])}
        mapping = {v: joined.get(b, b) for v, b in mapping.items()}
        buckets = (*buckets[:-2], _join(buckets[-2:]), NOT_STATED)
    return Coarsening(
        attribute.name, mapping, tuple(b for b in buckets if b in set(mapping.values())), "shipped"
    )


def _join(last_two: tuple[str, ...]) -> str:
    low, high = last_two
    if high.endswith("+"):  # bands of numbers: "80–119k" and "120k+" are "80k+"
        return re.split("–", low)[0] + ("k+" if low.endswith("k") else "+")
    return f"{low}; {high}"
