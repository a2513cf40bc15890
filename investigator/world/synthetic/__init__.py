"""Webs that live in memory, generated from a seed, with known truth.

The demo world of the command line and of ``web=None`` is one. For whoever builds, tests or measures agents;
nothing here touches a network, and no page is about anything real.
"""

from investigator.world.synthetic.demo import DEMO_OBJECTIVE, demo_web
from investigator.world.synthetic.truth import Fact, Role, Truth
from investigator.world.synthetic.web import Draft, SyntheticWeb

__all__ = ["DEMO_OBJECTIVE", "Draft", "Fact", "Role", "SyntheticWeb", "Truth", "demo_web"]
