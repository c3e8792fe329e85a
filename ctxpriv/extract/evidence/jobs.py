"""Words for what people do for a living, by a compact list; the schema's own values come on top."""

from __future__ import annotations

import re
from functools import cache

from ctxpriv.extract.evidence.span import OCCUPATION, Clue, Span

_JOBS = """
accountant actor actress administrator agronomist ambulance_driver analyst anaesthetist architect artist
attorney auditor author baker banker barber barista bartender beautician biologist bookkeeper bricklayer
builder bus_driver butcher buyer call_centre captain caregiver carer care_worker carpenter cashier caterer chef
chemist chemistry_teacher civil_servant cleaner clerk coach conductor consultant contractor cook copywriter
counsellor courier court_reporter curator dancer data_scientist delivery_driver delivery_rider dentist designer
developer dietitian director doctor dressmaker driver economist editor electrician engineer estate_agent
farmer firefighter fisherman flight_attendant florist foreman freelancer gardener geologist graphic_designer
hairdresser handyman head_chef headteacher historian hotel_manager housekeeper illustrator inspector
instructor interpreter janitor jeweller journalist judge labourer landscaper lawyer lecturer librarian
lighting_technician lorry_driver machinist maid manager marine_biologist marine_engineer marketer mason
mechanic midwife miner model musician nanny nurse nursing officer optician painter paediatrician paralegal
paramedic pastry_chef pharmacist photographer physician physicist physio physiotherapist pianist pilot
plasterer plumber police_officer porter postman postal_worker potter preschool_teacher principal printer
producer product_manager professor programmer project_manager psychiatrist psychologist radiographer
receptionist recruiter referee reporter researcher restaurant_owner roofer sailor sales_assistant salesman
saleswoman scientist seamstress secretary security_guard seller server shoemaker shop_assistant shopkeeper
singer social_worker software_developer software_engineer software_tester soldier solicitor sous_chef
statistician steward supervisor surgeon surveyor tailor taxi_driver teacher technician therapist tour_guide
trader trainer translator truck_driver truck_driving tutor typist vet veterinarian waiter waitress
warehouse_worker watchmaker web_developer welder writer
""".split()

_FRAMES = (  # what stands before a job that is the author's own
    r"(?:I['’]?m|I am|I was|I['’]?ve been|I have been|I became|being|as|I work(?:ed)? as|me,|we) (?:only |just |now |also |still )?"
    r"(?:an? |the |working as an? )?(?:\w+ )?"
)
_WORKPLACES = (  # hints at work without its name, and a word for whose they are
    (
        r"my (?:patients?|ward|shifts? on the ward|clinic|surgery|practice|rounds)|on the ward|the ward|night shifts? at the hospital|my stethoscope|A&E",
        "doctor nurse",
    ),
    (
        r"my (?:pupils?|class(?:room)?|students|year \d+s?)|(?:I teach|I taught|I was teaching|marking|parents['’]? evening|staff ?room|lesson plans?)",
        "teacher professor",
    ),
    (
        r"my (?:passengers?|cab|taxi|lorry|truck|bus|route|fares?|rickshaw|auto|matatu)|behind the wheel|truck stop|the depot|(?:I drive|I drove|driving) (?:a |the )?(?:bus|lorry|truck|taxi|cab|matatu|auto|rickshaw)s?",
        "driver rider",
    ),
    (
        r"my (?:kitchen brigade|line cooks?|station|kitchen at work)|the pass|dinner service|lunch service|in the walk-in|mise en place",
        "chef cook",
    ),
    (
        r"my (?:customers?|stall|shop|salon|store|market stall)|behind the (?:till|counter)|the till",
        "seller owner trader assistant hairdresser",
    ),
    (
        r"my (?:clients?|caseload|cases)|billable hours?|the firm|in chambers|in court",
        "solicitor lawyer psychologist",
    ),
    (
        r"(?:code review|pull requests?|standup|stand-up|sprint|production server|deploy(?:ed|ing|ment)?|my commits?|the backlog|bug (?:tickets?|reports?)|QA|the codebase|stakeholders?|roadmap)",
        "software developer data product",
    ),
    (
        r"(?:on (?:the |a )?(?:building )?site|scaffold(?:ing)?|my tools|the workshop|my trowel|my van)",
        "mechanic electrician plasterer builder carpenter",
    ),
    (
        r"(?:on board|the bosun|the engine room|at sea|offshore|the rig|my vessel|the ferry)",
        "marine captain petroleum",
    ),
    (
        r"(?:the branch|head office|the audit|spreadsheets?|quarter close|year[- ]end|payroll|the books)",
        "bank accountant manager",
    ),
    (
        r"(?:my gigs?|gigging|the band|my studio|rehearsals?|sound ?check|my violin|my cello|on stage)",
        "musician music lighting",
    ),
)


@cache
def _patterns() -> tuple[re.Pattern[str], list[tuple[re.Pattern[str], str]], re.Pattern[str]]:
    names = sorted((j.replace("_", " ") for j in _JOBS), key=len, reverse=True)
    job = "|".join(re.escape(n) for n in names)
    own = re.compile(rf"(?<!\w){_FRAMES}({job})s?(?!\w)", re.IGNORECASE)
    hints = [(re.compile(rf"(?<!\w)(?:{p})(?!\w)", re.IGNORECASE), w) for p, w in _WORKPLACES]
    return own, hints, re.compile(rf"(?<!\w)(?:{job})s?(?!\w)", re.IGNORECASE)


def find_jobs(text: str) -> list[Span]:
    """Jobs that the author claims, workplaces that hint at one, and jobs named at all (hints)."""
    own, hints, named = _patterns()
    spans = [
        Span(m.start(1), m.end(1), "job", (Clue(OCCUPATION, m.group(1).casefold()),))
        for m in own.finditer(text)
    ]
    for pattern, words in hints:
        spans += [
            Span(m.start(), m.end(), "job", (Clue(OCCUPATION, words, hint=True),))
            for m in pattern.finditer(text)
        ]
    claimed = {(s.start, s.end) for s in spans}
    spans += [
        Span(
            m.start(),
            m.end(),
            "job named",
            (Clue(OCCUPATION, m.group().casefold().removesuffix("s"), hint=True),),
        )
        for m in named.finditer(text)
        if (m.start(), m.end()) not in claimed
    ]
    return spans
