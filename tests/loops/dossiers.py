"""Two small libraries and what is to be found in them: a bridge with a false date, a folder of four files."""

from __future__ import annotations

from driver import page
from scripts import Finding, Library, Topic

OBJECTIVE = "When was the Larn bridge opened, how long is it, and who paid for it?"
_TOLD = {
    "https://a.test/guide": "A guide for walkers. The Larn bridge was opened to traffic in 1962. Bring good boots.",
    "https://a.test/inns": "Six inns stand along the old post road, and two of them still brew their own beer.",
    "https://a.test/birds": "Herons nest on the northern bank from March on, and cormorants rest on the piers.",
    "https://b.test/length": "Engineers of the county measured it again. From bank to bank the Larn bridge is 412 "
    "metres long. The deck was renewed later.",
    "https://b.test/tolls": "Tolls were raised twice and then dropped, to the joy of the hauliers of the valley.",
    "https://b.test/floods": "The flood of the spring carried away the wooden footbridge upstream of the mill.",
    "https://c.test/archive": "Minutes of the county council, volume nine. The ribbon of the Larn bridge was cut in "
    "May 1964 by the mayor. Earlier dates are those of the first pile.",
    "https://c.test/survey": "Survey sheets, third series. Its total span came to 412 metres between the abutments. "
    "Sheet four is lost.",
    "https://c.test/maps": "Maps of the estuary before the dredging, with soundings in fathoms and a scale bar.",
    "https://d.test/paper": "From the evening edition. Thousands watched in May 1964 as the first cars crossed "
    "at Larn. The band of the miners played.",
    "https://d.test/spans": "A list of spans of the region. Larn, road bridge, 412 metres, steel on stone piers. "
    "Next comes the viaduct of Oss.",
    "https://d.test/sport": "The rowing club won the regatta by half a length and celebrated until the morning.",
}  # fmt: skip

OPENING = Topic(
    question="When was the Larn bridge opened?",
    query="opening",
    findings=(
        Finding(
            text="The Larn bridge was opened in 1962.",
            quotes={"https://a.test/guide": "The Larn bridge was opened to traffic in 1962"},
        ),
        Finding(
            text="The Larn bridge was opened in May 1964.",
            quotes={
                "https://c.test/archive": "The ribbon of the Larn bridge was cut in May 1964 by the mayor",
                "https://d.test/paper": "Thousands watched in May 1964 as the first cars crossed at Larn",
            },
        ),
    ),
)
LENGTH = Topic(
    question="How long is the Larn bridge?",
    query="length",
    findings=(
        Finding(
            text="The Larn bridge is 412 metres long.",
            quotes={
                "https://b.test/length": "From bank to bank the Larn bridge is 412 metres long",
                "https://c.test/survey": "Its total span came to 412 metres between the abutments",
                "https://d.test/spans": "Larn, road bridge, 412 metres, steel on stone piers",
            },
        ),
    ),
)
MONEY = Topic(question="Who paid for the Larn bridge?", query="money")
BRIDGE = (OPENING, LENGTH, MONEY)


def bridge_library() -> Library:
    """Twelve pages of four domains: a date that is false, a length that three of them tell, and no word of money."""
    catalogue = {
        "opening": ("https://a.test/guide", "https://a.test/inns"),
        "opening denied": ("https://c.test/archive", "https://d.test/paper"),
        "length": ("https://b.test/length", "https://c.test/survey", "https://d.test/spans"),
        "money": ("https://b.test/tolls",),
        "money archive": ("https://d.test/sport",),
    }
    return Library([page(url, text) for url, text in _TOLD.items()], catalogue)


FACTS = ("height", "colour", "owner", "age")


def folder() -> tuple[Library, tuple[Topic, ...]]:
    """Four files of one folder: each fact stands in one of them, and in no other."""
    told = {
        "height": "Larn tower is 88 metres high by the plan of the builder",
        "colour": "Larn tower was painted red when the harbour was rebuilt",
        "owner": "Larn tower belongs to the pilots and their widows fund",
        "age": "Larn tower has stood on this rock since the spring of 1871",
    }
    pages = [page(f"doc:{name}.md", f"Notes. {told[name]}. The rest is lost.", domain="folder.local") for name in FACTS]
    topics = tuple(
        Topic(question=f"What is the {name} of Larn tower?", query=name,
              findings=(Finding(text=f"{told[name]}.", quotes={f"doc:{name}.md": told[name]}),))
        for name in FACTS
    )  # fmt: skip
    return Library(pages, {name: (f"doc:{name}.md",) for name in FACTS}), topics
