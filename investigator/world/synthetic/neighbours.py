"""Pages about other crossings, a namesake and the places around, so that a search must tell one bridge from another.

Holds prose with slots; must not know how it is ranked or read. None of them states a fact of the bridge.
"""

from __future__ import annotations

from investigator.world.synthetic.truth import Role
from investigator.world.synthetic.web import Draft

NEIGHBOURS = (
    Draft(
        key="pedia_names",
        host="openpedia",
        path="wiki/{bridge_slug}-disambiguation",
        title="{bridge} (disambiguation)",
        published="2013-07-07",
        text="""
        Two structures carry this name. The younger is a steel crossing near the coast, described in its
        own article. Its elder is an arched bridge of stone at {tc}, on the {river2}, finished in {old_year} and
        closed to carts since a cart fell off it. Nothing connects them but a landowner of that name, who paid
        for the second and was long dead when the first was begun.
        """,
        links=("pedia_bridge", "namesake_visit"),
    ),
    Draft(
        key="namesake_visit",
        host="{tc_slug}visitors",
        path="see/stone-bridge",
        title="The stone {bridge} of {tc}",
        published="2019-05-05",
        text="""
        No picture of {tc} is complete without its old stone bridge. Ask for the {bridge} in the inn and they
        will point over your shoulder. Local people opened it in {old_year} with a goose race, which is still
        run, and its 64 metres of parapet are just long enough for one. {mason}, a mason from the next valley,
        laid the middle arch without a drawing.

        Walkers only. Cake stall on Sundays. Leave the geese alone.
        """,
        links=("namesake_parish", "pedia_mason"),
    ),
    Draft(
        key="namesake_register",
        host="bridgeregister",
        path="entries/0418",
        title="Register entry 0418",
        published="2019-02-01",
        text="""
        ENTRY 0418. Masonry, three arches, span of the largest 22 metres. Situated at {tc}. Same name as the
        preceding entry; the two are to be cited by number. Owner: the parish. Last surveyed with a plumb line.

        Condition: fair. Ivy on the downstream face, to be cut back each autumn. Frogs in the drain. No vehicle
        has been admitted within living memory and none should be.
        """,
        links=("namesake_visit", "register"),
    ),
    Draft(
        key="namesake_parish",
        host="{tc_slug}visitors",
        path="parish/subscription-list",
        title="Parish papers: who paid for the arches",
        published="2019-06-01",
        text="""
        The list hangs framed in the vestry. Eighty-eight thousand crowns were raised, mostly in small coin; the
        brewer gave a barrel and later asked for the barrel back. Lady Orme gave twice, once in anger. What was
        left over bought hymn books. The arches stood for nine winters before the first repair, which the vestry
        also recorded, to the nail.
        """,
        links=("namesake_visit",),
    ),
    Draft(
        key="river",
        host="openpedia",
        path="wiki/{river_slug}",
        title="{river} (river)",
        published="2015-10-01",
        text="""
        The {river} rises in a bog, falls over nine weirs and reaches the sea through a gorge that canoeists
        praise and insurers do not. Its name is thought to mean "late" in an older tongue. Salmon returned in
        the nineties. Above the tide it is crossed by fords, a chain ferry and a railway viaduct; the estuary
        has one bridge for vehicles.

        Major floods are on record for 1897, 1926 and 1998.
        """,
        links=("pedia_county", "flood"),
    ),
    Draft(
        key="pedia_county",
        host="openpedia",
        path="wiki/{county_slug}-county",
        title="{county} County",
        published="2014-04-24",
        text="""
        {county} County is the smallest of the coastal counties and the only one without a cathedral. It exports
        barley, roof slates and brass players. Administration was moved twice in the last century, each time to
        the town whose member had died most recently. Its flag shows a heron looking left; a heron looking right
        is the neighbours'. Proposals for a fish have failed.
        """,
        links=("town_a", "town_b"),
    ),
    Draft(
        key="pedia_mason",
        host="openpedia",
        path="wiki/{mason_family_slug}",
        title="{mason}",
        published="2009-09-09",
        text="""
        {mason} was a stonemason who built nineteen arches, two chimneys and a pulpit. Nothing was ever written
        down; measurements were kept in knots on a string, which is lost. Those who were apprenticed to the yard
        remembered a fondness for pickled eggs and a hatred of mortar. The string is the subject of a children's
        book, in which it unties itself at night and measures the moon.
        """,
        links=("namesake_visit",),
    ),
    Draft(
        key="tunnel",
        host="roadtolls",
        path="guide/{td_slug}-tunnel",
        title="{td} Tunnel: charges and height limit",
        published="2009-01-12",
        text="""
        From the same notes, second part. A mile of tile and bad radio. Cars pay eighty cents at a machine that
        gives no change, so carry the right coins. Height limit 4 metres, enforced by a hanging beam that has
        ended several holidays. Headlights on. Closed on the second Sunday of each month for washing. Horses
        must go round by the hill.
        """,
        links=("tollguide",),
    ),
    Draft(
        key="town_a",
        host="{ta_slug}townhall",
        path="about",
        title="Welcome to {ta}",
        published="2020-01-15",
        text="""
        Eleven thousand people, four bakeries, one traffic light. {ta} grew around a salt pan and has never
        quite lost its taste for pickles. Market is on Wednesdays. The town hall, painted yellow after a bet, is
        open until four; dogs are welcome in the lobby but not in the council chamber, following an incident.

        Twin towns: none, though letters have been exchanged.
        """,
        links=("minutes_opening", "minutes_cost"),
    ),
    Draft(
        key="town_b",
        host="{tb_slug}council",
        path="our-town",
        title="{tb} in five minutes",
        published="2020-11-30",
        text="""
        Settlers came for the clay and stayed for the view. Today {tb} has a brickworks museum, a lido and the
        county's only surviving penny arcade. At dusk the {bridge} shows off its cables in blue light, unless bats
        are about: cables are where they rest. Footpaths are signed in green. If you hear a siren at noon on
        Saturday, that is the lifeboat crew at practice and no cause for alarm. Bins go out on Mondays. Bathing
        is free before breakfast.
        """,
        links=("regatta", "council_toll"),
    ),
    Draft(
        key="bridge2",
        host="spanspotters",
        path="2014/{bridge2_slug}-swing-bridge",
        title="A swing at last: the {bridge2} swing bridge",
        published="2014-09-21",
        text="""
        You have to be lucky. The {bridge2} swings only for masts, and masts are rare since the boatyard turned
        into flats. I waited three hours with a cheese roll. Then a bell, a man in slippers, and two hundred
        tonnes of iron turning on a pin like a door in a dream. Built by a locomotive works, signed by nobody.
        He let me oil it.
        """,
        links=("spotters", "spotters_cables"),
    ),
    Draft(
        key="spotters_cables",
        host="spanspotters",
        path="2006/counting-cables",
        title="Counting cables: the {bridge} from a picnic rug",
        published="2006-06-04",
        text="""
        Some people count sheep. I count cables, lying on my back, and the rug was damp. Cables hum before rain;
        cables on the windward side hum lower. The postcard in the kiosk says that the {bridge} boasts
        {cables_drawn} cables. I fell asleep at forty, so I shall believe the postcard.

        A lady with a dachshund wanted to know what cables are made of. Wire, madam: cables are wire and wire is
        patience. My favourite has a patch of rust shaped like a hare. Comments are open; be kind to flakes.
        """,
        links=("bridge2",),
        roles={"cables": Role.WRONG},
    ),
    Draft(
        key="bridge3",
        host="bridgeregister",
        path="entries/0416",
        title="Register entry 0416",
        published="2019-02-01",
        text="""
        ENTRY 0416. {bridge3} Viaduct, railway, brick, thirty-one arches. Opened for goods trains in 1871 and
        for passengers a year later. Owner: State Railways. Repointed 1934. The parapet on the northern face
        leans, within tolerance. Trespass is fined. The former signal box is let to a beekeeper, who has the
        right of way between trains. Load tests are repeated every tenth year.
        """,
        links=("namesake_register",),
    ),
    Draft(
        key="second_ferry",
        host="ferryhistory",
        path="vessels/little-sister",
        title="Little Sister: a chain ferry upriver",
        published="2007-03-05",
        text="""
        Where the valley narrows, a flat boat on a chain has gone to and fro since anyone can remember. Little
        Sister is the ninth of her line. She holds two tractors or one very large wedding party, and her engine
        came out of a threshing machine. There is no timetable. You ring, you wait, you talk about the weather.
        Dogs ride free.
        """,
        links=("ferry_society",),
    ),
)
