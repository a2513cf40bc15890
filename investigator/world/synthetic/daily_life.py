"""Pages about people, visits, weather and events: what most of a web is, and what no search here should want.

Holds prose with slots; must not know how it is ranked or read. None of them states a fact of the bridge.
"""

from __future__ import annotations

from investigator.world.synthetic.truth import Role
from investigator.world.synthetic.web import Draft

DAILY_LIFE = (
    Draft(
        key="archive_home",
        host="{county_slug}archive",
        path="visit",
        title="Planning a visit to the reading room",
        published="2022-08-01",
        text="""
        Bring a pencil. Lockers take an old coin that we lend you. Up to five boxes may be ordered at a time and
        nothing is fetched between noon and one. We hold parish books, drainage plans, ships' papers, school
        registers and a collection of pressed seaweed. Heating is modest; regulars wear two jumpers. The cat is
        called Index and may not be ordered.
        """,
        links=("archive_photographer", "archive_gate"),
    ),
    Draft(
        key="archive_photographer",
        host="{county_slug}archive",
        path="collections/glass-plates",
        title="The glass plates of {photographer}",
        published="2008-03-19",
        text="""
        Four hundred plates were found under a stair. {photographer} took weddings for a living and clouds for
        pleasure, and numbered the clouds. Plate 212, a rope-walk at dawn, has been lent abroad. Two plates show
        the estuary with nothing across it but mist, the last one the {bridge} with cables half hung. A caption
        that mixed up cables and clouds has been corrected. Cracks have been stabilised; please do not ask to hold one.
        Prints are sold at the desk.
        """,
        links=("archive_home",),
    ),
    Draft(
        key="museum_hours",
        host="museumofcrossings",
        path="visit",
        title="Hours, tickets and the café",
        published="2023-01-03",
        text="""
        Open Thursday to Sunday, ten to five, and on days when the schools are shut. Tickets are sold at the old
        lock-keeper's window. The café does soup. Rooms one, three and four are step-free; room two can be seen
        on a film. Guided tours leave when six people have gathered and somebody looks impatient. Lost gloves
        are pinned to the board.
        """,
        links=("museum",),
    ),
    Draft(
        key="forum_walk",
        host="valleyforum",
        path="threads/9127",
        title="Thread: windy walks with a pram?",
        published="2018-04-02",
        text="""
        kittiwake: is the estuary crossing doable with a pram? the railing looks low.

        sprocket: did it yesterday, fine, hold your hat. east side pavement is wider.

        old_tom: do it at low water, you see the wreck.

        kittiwake: thanks both. baby approved. we counted nine cormorants and one very cross swan, and somebody
        has put a bench half way, bless them.
        """,
        links=("forum_fishing", "spotters"),
    ),
    Draft(
        key="forum_fishing",
        host="valleyforum",
        path="threads/9340",
        title="Thread: best bait for bream",
        published="2019-07-13",
        text="""
        sprocket: sweetcorn. always sweetcorn.

        old_tom: bread, squeezed hard, with a drop of vanilla. my father swore by it and he swore a lot.

        reedwarbler: you two had this argument last year. and the year before. can we pin it?

        sprocket: caught nothing either way. lost a shoe, though.

        kittiwake: the heron gets more than all of you together, and he never buys a ticket.
        """,
        links=("forum_cost",),
    ),
    Draft(
        key="regatta",
        host="{tb_slug}council",
        path="news/regatta-results",
        title="Regatta: results and thanks",
        published="2021-08-23",
        text="""
        Skiffs: Gasworks first, Post Office second, Dentists sunk. Under-twelves: a dead heat. Greasy pole:
        nobody, for the sixth year running. The course below the {bridge} was revised at noon, as only flat boats
        may pass under its cables in a swell; cables swing. Special thanks to the tea tent, the lifeboat, and
        whoever returned the mayor's wig. Photographs may be viewed in the library foyer until the end of the
        month. Entries for next summer open in May, dentists included. Bring a towel.
        """,
        links=("town_b",),
    ),
    Draft(
        key="stats_people",
        host="statsoffice",
        path="people/census/table-3",
        title="Table 3. Inhabitants by district, 2021",
        published="2022-12-01",
        text="""
        | District | Inhabitants |
        | {ta} and harbour | 11,204 |
        | {tb} with hamlets | 9,871 |
        | {td} | 3,310 |

        Persons are counted where they slept on the night of the census, sailors on the register of their home
        port. Small cells are suppressed. Errata to the previous edition are listed in annex B. Households
        without an answer were visited three times, twice by bicycle, once with cake.
        """,
        links=("stats", "stats_rain"),
    ),
    Draft(
        key="stats_rain",
        host="statsoffice",
        path="climate/rain/table-5",
        title="Table 5. Rainfall at harbour stations",
        published="2023-02-14",
        text="""
        | Month | Millimetres |
        | January | 92 |
        | April | 51 |
        | July | 38 |
        | October | 117 |

        Gauges are read at seven in the morning. One reading in March was lost to a goat and has been
        interpolated. Long series are available on request, on paper, for the price of copying. Snow is melted
        before it is measured. Fog is not measured at all. Hail is drawn to scale.
        """,
        links=("stats_people",),
    ),
    Draft(
        key="rail_fares",
        host="northshoreherald",
        path="{early}/09/rail-fares",
        title="Rail fares to rise again",
        published="{early}-09-02",
        text="""
        Season tickets will go up by a twelfth in October, State Railways said yesterday, blaming coal, wages
        and, a little surprisingly, umbrellas left on trains, for which storage has to be rented. The
        passengers' league called the rise a disgrace and its own new membership fee a regrettable necessity.
        Dogs will continue to ride at half the price of a child.
        """,
        links=("wire_herald",),
    ),
    Draft(
        key="harvest",
        host="dailyledger",
        path="national/{early}-08-30-barley",
        title="Barley: a middling harvest",
        published="{early}-08-30",
        text="""
        Growers on the coast report fair yields and poor tempers. Rain in the second week of August flattened
        late fields, though malt prices held. A combine at {td} was lost in a pond and found the following day.
        The Ledger's index of farm prices stands four points up on last summer. Potatoes are said to be good,
        and small. Hops next week.
        """,
        links=("wire_ledger",),
    ),
    Draft(
        key="flood",
        host="{river_slug}courier",
        path="archive/1998/flood-diary",
        title="Flood diary: three days in boots",
        published="1998-11-09",
        text="""
        Friday. Cellars in Fish Street full by noon; the chemist rows to work. Saturday. Army arrives with
        sandbags, runs out of sandbags, borrows flour. Sunday. Water down a hand's width, and the first joke
        heard since Thursday. Our presses stand in mud, so this edition was printed on the school's duplicator.
        Forgive the purple. Monday. Mud; and a piano on the football pitch, in tune.
        """,
        links=("keeper",),
    ),
    Draft(
        key="keeper",
        host="{river_slug}courier",
        path="people/{keeper_family_slug}",
        title="The last gatekeeper: {keeper} looks back",
        published="2004-06-26",
        text="""
        "You get to know people by their hands," says {keeper}, who took coins through a window for thirty-one
        years. Cold hands, farmers' hands, a hand that always held a toffee. The window is automatic now.
        {keeper} keeps canaries, does not drive, and has crossed on foot, by a private reckoning, nineteen
        thousand times. "Never once for fun."
        """,
        links=("archive_gate", "courier_correction"),
    ),
    Draft(
        key="gazette_paint",
        host="structuralgazette",
        path="papers/paint-systems",
        title="Paint systems for cables near salt water: a survey",
        published="1999-05-01",
        text="""
        Abstract. Fourteen coatings were exposed for six years on racks at a harbour mouth and on cables of the
        {bridge}; on cables only wax held, unless gulls had been at it. Zinc-rich primers
        performed best, red lead a respectable third. Two samples were eaten by an organism that we have not
        identified. Adhesion figures, humidity and gull damage are tabulated. Owners are advised to wash before
        they paint. Raw data fill two binders and smell of the sea.
        """,
        links=("gazette_bearings",),
    ),
    Draft(
        key="works_history",
        host="{firm_slug}works",
        path="about/history",
        title="A century of {firm}",
        published="2021-09-01",
        text="""
        It began in a shed with two brothers and a borrowed anvil. Ploughs first, then boilers, then girders. A
        fire in 1929 took the shed but not the order book. Cables followed: the {bridge} uses wire of ours, and
        the latest of our cables hold up a roof abroad. Our apprentices' choir has toured nine countries. In
        2021 the firm turned a hundred and every employee, from board to boiler room, received a spoon. The
        anvil was returned in the same week.
        """,
        links=("contractor",),
    ),
    Draft(
        key="school_choir",
        host="hillsideschool",
        path="news/choir-trip",
        title="Choir trip: we came fourth",
        published="2011-05-27",
        text="""
        On Friday the choir went to {td} by coach. Ada was sick twice. We sang the one about the heron and the
        one in Latin and came fourth out of five, but the judge said our vowels were "brave". On the way back
        the driver let us choose the music. Thank you to the parents who made sandwiches. Next year we want to
        win.
        """,
        links=("school",),
    ),
    Draft(
        key="archive_contract",
        host="{county_slug}archive",
        path="enquiries/contract-file",
        title="Enquiry of the month: the construction cost of the {bridge}",
        published="2018-02-26",
        text="""
        A reader wishes to know, of the {bridge}, its construction cost. So do we. The volume with the final account
        was withdrawn before the file came into our care, and its place on the shelf is kept by a wooden block.

        What remains is plainer: delivery notes, a cook's bill for soup, an oath about rivets. Inspectors signed on
        the last sheet that the {bridge} in fact has {cables} cables, several pairs having been saved. Copies are
        made while you wait.
        """,
        links=("archive_home", "minutes_cost"),
        roles={"cost": Role.NEAR, "cables": Role.GOLD},
    ),
    Draft(
        key="winter",
        host="highwaysauthority",
        path="advice/winter",
        title="Winter advice: ice on cables",
        published="2019-11-18",
        text="""
        Clear the whole windscreen, not a porthole. Keep a blanket, a shovel and something to eat in the boot.
        In a thaw, cables drop ice: only the middle lane of the {bridge} is open then, and a limit of thirty holds
        unless signs say otherwise. Gritting starts at plus two degrees. If a gritter is in front of you, stay
        there; it will not go faster because you flash your lights. Listen to local radio.
        """,
        links=("authority_limits",),
    ),
)
