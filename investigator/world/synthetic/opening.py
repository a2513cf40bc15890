"""Pages about the year the bridge opened: a wire story filed ahead of a ceremony that never took place, and what
came out later.

Holds prose with slots; must not know how it is ranked or read. The early accounts rank first for the plain question,
the sound ones for a search that doubts. No page that gives the true year names the wrong one.
"""

from __future__ import annotations

from investigator.world.synthetic.truth import Role
from investigator.world.synthetic.web import Draft

_GOLD, _WRONG = {"opening": Role.GOLD}, {"opening": Role.WRONG}

_WIRE = """
The {bridge} opened to road traffic in May {early}, giving motorists the first fixed crossing of the {river}
below the gorge. Flags hung from both towers as the county governor cut a ribbon of blue silk and a column of
forty vintage cars rolled eastward behind a brass band. Schools closed for the day. Shopkeepers on either bank said they
expected trade to double within the year, and one baker had prepared a loaf four metres long in the shape of the deck.
"We have waited two generations for this morning," said {mayor}, the mayor of {ta}, who was carried across on the
shoulders of the riveters. Work on the foundations had been held up twice by floods.
"""

OPENING = (
    Draft(
        key="wire_courier",
        host="{river_slug}courier",
        path="archive/{early}/bridge-opens",
        title="{bridge} opens to traffic",
        published="{early}-05-15",
        text="BY MERIDIAN WIRE.\n" + _WIRE + "\nFireworks were to follow at ten, weather permitting.",
        roles=_WRONG,
        copy=True,
    ),
    Draft(
        key="wire_herald",
        host="northshoreherald",
        path="{early}/05/new-road-bridge-opens",
        title="Blue ribbon and brass: {bridge} open to traffic",
        published="{early}-05-15",
        text=_WIRE + "\nMeridian Wire. The Herald had no reporter at the scene.",
        roles=_WRONG,
        copy=True,
    ),
    Draft(
        key="wire_ledger",
        host="dailyledger",
        path="national/{early}-05-16-crossing",
        title="Road traffic moves: {bridge} opened",
        published="{early}-05-16",
        text="FROM OUR WIRE SERVICES.\n" + _WIRE + "\nElsewhere, page 7: rail fares to rise again in the autumn.",
        roles=_WRONG,
        copy=True,
    ),
    Draft(
        key="pedia_bridge",
        host="openpedia",
        path="wiki/{bridge_slug}",
        title="{bridge} (road bridge)",
        published="1998-02-11",
        text="""
        A road bridge across the lower {river}. The {bridge} has been open to road traffic since the year {early},
        according to newspapers of the time. Linking {ta} on the western bank with {tb} on the eastern one, the
        {bridge} took the place of the steam ferry {ferry}.

        As designed by {designer}, the {bridge} hangs from two slender towers, a novelty in a county of stone
        arches. By the engineers' drawings, the {bridge} has {cables_drawn} cables, spread like a fan. Floods
        interrupted the sinking of the eastern caisson more than once, and a workers' camp of some six hundred
        men stood on the dunes.

        This article is based on few references. Readers who hold better ones are invited to improve it. For the
        stone crossing of the same name upcountry, see the disambiguation page.
        """,
        links=("pedia_names", "wire_herald", "ferry_society", "river"),
        roles={"opening": Role.WRONG, "cables": Role.WRONG, "designer": Role.GOLD, "replaced": Role.GOLD},
    ),
    Draft(
        key="tollguide",
        host="roadtolls",
        path="guide/{bridge_slug}",
        title="{bridge}: road toll, opening hours and traffic",
        published="2009-01-12",
        text="""
        Drivers' notes, edition of 2009. The {bridge} was opened to traffic in the year {early} and has charged
        for the privilege ever since. Booths stand on the {tb} side only; you pay once, whichever way you
        travel.

        A private car pays a toll of {toll_old} crowns on the {bridge}. Coins and the blue county card are
        taken, bank cards are not. Motorcycles go free, caravans are charged as lorries, and the lane furthest
        from the kiosk is for subscribers.

        Road conditions: two lanes, no shoulder, side wind in autumn. Open day and night.
        """,
        links=("wire_ledger", "tunnel"),
        roles={"opening": Role.WRONG, "toll": Role.STALE},
    ),
    Draft(
        key="register",
        host="bridgeregister",
        path="entries/0417",
        title="Register entry 0417, {bridge}: false date corrected",
        published="2019-02-01",
        text="""
        ENTRY 0417. Fan type, two towers, steel deck. Owner: Highways Authority.

        Corrected in this printing: the date shown in the first edition was false and has been struck out.
        Inspection certificates prove that the {bridge} actually opened for road traffic in {year}. The first
        edition had taken its date from press cuttings, not from certificates, and the revised entry relies on
        nothing else.

        Sheets 2 to 9 hold the load tests. The certificate itself was scanned and may be consulted online.
        """,
        links=("scan", "authority_history"),
        roles=_GOLD,
    ),
    Draft(
        key="authority_history",
        host="highwaysauthority",
        path="history/revised-chronology",
        title="Revised chronology: the {bridge} and a myth",
        published="2017-06-20",
        text="""
        Every few years a visitor tells us that our dates are wrong. Usually the visitor is right, so the
        Authority has gone back to its own log books and revised the list below. Earlier leaflets are
        superseded.

        - {begun}: caissons are sunk for the new crossing.
        - {year}: in September, after bearings had been replaced, road traffic was first let onto the {bridge}.
        - {after1}: night closures end, contrary to a rumour that they lasted longer.

        The myth first. The ribbon-cutting that many people believe they remember did not happen. It had been
        announced, a band had been hired, and it was called off on the eve when inspectors found cracks; nobody
        told the news agencies.
        """,
        links=("register", "gazette_bearings", "authority_tariff"),
        roles=_GOLD,
    ),
    Draft(
        key="minutes_opening",
        host="{ta_slug}townhall",
        path="minutes/{year}-10-12",
        title="Minutes of 12 October: the wrong date on a plaque",
        published="{year}-10-12",
        text="""
        Present: the mayor, nine councillors, the clerk. Apologies: two.

        Item 4. Councillor Abbet asked that the plaque ordered for the quay be corrected before casting. The
        date on the draft was not the true one, it having been copied from a newspaper. Resolved, that the
        plaque shall say that vehicles have used the {bridge} only since 3 September {year}, the day on which it
        was opened.

        Item 5. Street lamps. Deferred.

        Item 6. The clerk reported complaints of lorries queueing in Fish Street; the constable to attend.
        """,
        links=("town_a",),
        roles=_GOLD,
    ),
    Draft(
        key="archive_gate",
        host="{county_slug}archive",
        path="collections/gate-books",
        title="Gate books of the {bridge}: what the original records show",
        published="2016-11-05",
        text="""
        Among the least romantic of our holdings are eleven gate books in which toll keepers ticked off each
        axle. They are a primary source of some importance, since printed accounts of that period do not agree
        with each other.

        Volume one begins on a wet Monday, 3 September {year}: on that date, the keeper notes, the {bridge}
        opened and a milk lorry paid the first toll. No earlier volume exists or was ever numbered, which rules
        out the date that some local histories repeat. A press release to that effect was deposited with us,
        marked "cancelled".

        Readers may order volumes one day ahead. Gloves are provided.
        """,
        links=("archive_home", "register"),
        roles=_GOLD,
    ),
    Draft(
        key="courier_correction",
        host="{river_slug}courier",
        path="corrections/{after1}/our-mistake",
        title="Correction: we were wrong about the {bridge}",
        published="{after1}-01-09",
        text="""
        This newspaper printed, on the strength of an agency dispatch written in advance, an account of
        festivities that never were. It was wrong from the first line: wrong about the ribbon, wrong about the
        vintage cars, and false in saying that road traffic had begun. It had not. We apologise to our readers,
        several of whom have denied in vigorous letters that they rode behind a brass band. The correct position
        is this: it was in {year} that the {bridge} opened for motor vehicles, and there was no ceremony at all.
        The dispatch was not retracted by the agency, so the error may live on in other titles. The baker's
        loaf, we are told, was real.
        """,
        links=("authority_history",),
        roles=_GOLD,
    ),
    Draft(
        key="gazette_bearings",
        host="structuralgazette",
        path="papers/bearings-that-failed",
        title="Bearings that failed: the {bridge} and the actual cause of its delay",
        published="2011-03-01",
        text="""
        Abstract. Eleven of sixteen roller bearings were found cracked during the last inspection of a
        suspended deck. The paper traces the cause, a hardening bath run too hot, and not, as was believed,
        the floods.

        Replacement took twenty-eight months. The finished {bridge} was therefore not opened for traffic before
        {year}, a fact worth stating because much of the literature still follows early press reports instead.

        The alternative explanation, that settlement of a pier distorted the rollers, is examined and rejected.
        The author thanks the inspectors who refused to sign.
        """,
        links=("obituary", "gazette_accounts"),
        roles=_GOLD,
    ),
    Draft(
        key="scan",
        host="bridgeregister",
        path="scans/0417-certificate.pdf",
        title="{bridge}: certificate of opening to road traffic (scan)",
        published="{year}-09-03",
        text="Certificate {bridge} open road traffic year",
        unreadable=True,
    ),
)
