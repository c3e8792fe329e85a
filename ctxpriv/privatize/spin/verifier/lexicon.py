"""The words that a report on a plan may besides labels, and forms of words.

The plan says nothing of anything else, so that a word of content that belongs to no admitted atom is
refused whatever it says. The list is of general words: add none that could be a theme of its own.
"""

from __future__ import annotations

import re
from functools import cache

_FUNCTION = """
a an the this that these those such same other others another each every all both either neither any
some nobody several no none nothing not nor and or but yet so if then than though although while whereas
when where which whose what how whether as at by for from in into of off on onto out over per to
toward towards under up down via with within without between among amongst across along around about above
below behind beyond beside besides after before during until against except including versus vs is are
was were be been being am has have had having do does did doing can could may might must shall should
will would cannot need let it its itself they them their theirs themselves there here also too only just
even further furthermore moreover however thus hence therefore overall together respectively rather
quite very much more most less least fewer many few little lot almost nearly roughly
approximately exactly precisely slightly somewhat clearly closely well instead otherwise namely e g
i eg ie etc notably alone apart back else away hereby likewise similarly meanwhile finally lastly
firstly secondly thirdly next last first second third fourth fifth sixth seventh eighth ninth tenth one
two three four five six seven eight nine ten eleven twelve twice half double triple thrice times doesn
don isn aren wasn weren hasn haven didn couldn wouldn ll re ve s t
"""
_REPORT = """
highlight identify vary variation correspond characterise characterize demonstrate constitute exhibit
possess enjoy occupy assign share summarise summarize outline provide express voice describe area aspect
issue problem sole best brief short following sum rating differ  
 theme topic concept atom category label subject matter item entry row term point plan release
summary sketch list listing dictionary set collection corpus data dataset report overview picture
analysis finding text document narrative record review reviewer user customer consumer complaint comment
author writer contributor people respondent submission feedback message post support bin level band
range tier class mass value weight score count number amount total figure measure measurement estimate
magnitude size rank ranking order position place spot top bottom end middle part remainder rest majority
minority pair side scale distribution interval uncertainty error
noise privacy differential differentially private protect protected public denominator unit contribution
contribute bound bounded limit clip random randomly threshold zero cutoff mechanism laplace gaussian
epsilon delta guarantee budget high low moderate higher highest lower lowest large larger largest small
smaller smallest great greater greatest big bigger biggest strong stronger strongest weak weaker weakest
common frequent frequently often commonly prevalent rare rarely popular near nearer close closer equal
equally alike similar similarly comparable comparably different identical lead leading leader head tail
follow followed precede trail exceed surpass outrank outweigh outnumber outpace outstrip overtake tie
tied match compare compared comparison relative relatively contrast unlike versus ahead behind par
mention reported say speak talk discuss raise name cover concern relate refer regard regarding appear
occur feature emerge present exist find found see seen show shown display note noted indicate reflect
represent receive get got gain attract draw carry hold held bear belong include contain comprise consist
cite make made form put give given take taken come came go fall fell sit stand stood lie reach attain
register remain stay be become complete conclude begin start turn released admitted
listed selected chosen fixed noisy added distinguish distinguishable indistinguishable tell told apart
separate separable overlap possibly perhaps maybe likely
unlikely chance mere merely mean means call called know known read according based
drawn observed measured computed derived aggregate collective whole entire combined individual
 exact single general broad broadly mostly respectively clear visible due amid
roughly approximate clearly narrowly marginally comfortably   
led span moderately
descending ascending available remaining additional extra various because
since
"""

_ENDINGS = ("ies", "es", "s", "ied", "ed", "ing", "d")


@cache
def stem(word: str) -> str:
    """One form for singular and plural, and for most forms of a verb."""
    w = word.casefold()
    if len(w) <= 3 or w.endswith(("ss", "us", "is")):
        return w
    for ending in _ENDINGS:
        if w.endswith(ending) and len(w) - len(ending) >= 3:
            base = w[: -len(ending)]
            if ending in ("ies", "ied"):
                return base + "y"
            if ending in ("ed", "ing") and len(base) > 3 and base[-1] == base[-2] and base[-1] not in "ls":
                base = base[:-1]
            return base.removesuffix("e") if len(base) > 3 else base
    return w.removesuffix("e")


@cache
def _known() -> frozenset[str]:
    words = (_FUNCTION + _REPORT).split()
    return frozenset(words) | frozenset(map(stem, words))


def is_report_word(word: str) -> bool:
    """Whether reports the word whatever the plan; figures and single letters count as such."""
    w = word.casefold()
    return (
        len(w) == 1 or bool(re.fullmatch(r"\d+(?:st|nd|rd|th)?", w)) or w in _known() or stem(w) in _known()
    )
