"""How much of a group is asked."""

import dataclasses
import signal
import threading
from itertools import count
from threading import Barrier

import pytest

from directly import Directly
from numa_conformance.asking.asking import Asking, Budget, ask_the_rest, part_of
from numa_conformance.asking.generators.scenario import Scenario, ask_all
from numa_conformance.asking.groups import GROUPS
from numa_conformance.asking.outcomes import GroupOutcome, broken_first_in, times_broken
from numa_conformance.asking.rarest import places_of, rarest_first
from numa_conformance.judging.chapter import Violation
from numa_conformance.judging.verdicts import Broken, HistoryVerdicts
from numa_conformance.machine import load_machine
from numa_conformance.plugin.expectation import GROUPS_COST, is_cheap
from numa_conformance.reference.target.reference_target import ReferenceTarget
from numa_conformance.wire.history.history import Head, History
from processes import PATIENCE, wait_until

MACHINE = load_machine("one-cpu")
SCENARIOS = [Scenario("sweep", str(number), MACHINE, lambda: ask_all([])) for number in range(50)]


def cells(budget, clock=lambda: 0.0):
    return [scenario.cell for scenario in part_of(SCENARIOS, Budget.parse(budget), clock)]


def test_all_is_asked_in_its_order():
    assert cells("") == [scenario.cell for scenario in SCENARIOS]


@pytest.mark.parametrize(("budget", "asked"), [("10%", 5), ("3%", 2), ("0.1%", 1)])
def test_a_part_is_taken_from_all_over_and_is_the_same_each_time(budget, asked):
    part = cells(budget)
    assert len(set(part)) == asked
    assert part == cells(budget)
    assert asked == 1 or part != [scenario.cell for scenario in SCENARIOS[:asked]]


def test_a_part_of_all_is_asked_early_from_all_over_and_the_rest_in_its_order():
    asking = Asking(SCENARIOS, Directly(ReferenceTarget()), "1.32", early=0.1)
    asking.ask_early()
    rest = [int(scenario.cell) for scenario in asking.scenarios]
    assert rest == sorted(rest)
    assert set(range(5, 50)) != set(rest)
    assert (asking.outcome.driven, asking.spend().driven) == (5, 50)


@pytest.mark.parametrize(("budget", "asked"), [("8s", 7), ("0.001s", 1)])
def test_seconds_are_spent_and_something_is_asked(budget, asked):
    assert len(cells(budget, count().__next__)) == asked


def test_a_part_begins_with_scenarios_that_bring_settings_of_their_own():
    settings = ["a, b", "a", "b", "c+a", "d"]
    scenarios = [dataclasses.replace(SCENARIOS[0], cell=cell) for cell in settings * 20]
    few = [scenario.cell for scenario in part_of(scenarios, Budget.parse("4%"))]
    assert set("abcd") == set("".join(few)) & set("abcd")
    assert len(few) == 4


class TestGoingOn:
    """Groups of pods to classify: one scenario in fifty has an init container, which another requirement needs."""

    RARE = "qos/init-containers-count"

    def group(self, cell="classify init-containers-count", budget="2%", clock=lambda: 0.0):
        rare = {**PLAIN, "initContainers": [{"name": "i", "resources": {"requests": {"cpu": "1"}}}]}
        questions = {cell: rare, **{f"classify {number}": PLAIN for number in range(49)}}
        scenarios = [
            Scenario("sweep", name, MACHINE, lambda spec=spec: ask_all([("classify", {"pod": pod(spec)})]))
            for name, spec in questions.items()
        ]
        client = Directly(ReferenceTarget())
        return Asking(scenarios, client, "1.37", budget=Budget.parse(budget), clock=clock)

    def test_what_no_share_asked_is_asked_beyond_it_where_a_cell_names_it_first(self):
        group = self.group()
        assert group.spend().verdicts.tests[self.RARE] == 0
        ask_the_rest({self.RARE: [group]})
        assert (group.outcome.verdicts.tests[self.RARE], group.outcome.driven) == (1, 2)

    def test_what_another_group_asked_is_not_looked_for(self):
        asked, other = self.group(budget="100%"), self.group()
        groups = [asked, other]
        for group in groups:
            group.spend()
        ask_the_rest({self.RARE: groups})
        assert [group.outcome.driven for group in groups] == [50, 1]

    def test_what_nothing_asks_ends_with_the_scenarios(self):
        group = self.group()
        ask_the_rest({"qos/no-such-thing": [group]})
        assert group.outcome.driven == 50

    def test_a_time_is_exceeded_three_times_at_most(self):
        group = self.group(budget="4s", clock=count().__next__)
        assert group.spend().driven == 4
        ask_the_rest({"qos/no-such-thing": [group]})
        assert group.outcome.driven == 12


PLAIN = {"containers": [{"name": "c"}]}


def pod(spec):
    return {"metadata": {"name": "p", "uid": "p"}, "spec": spec}


def test_time_that_others_left_is_spent_on_what_is_left():
    group = Asking(SCENARIOS, Directly(ReferenceTarget()), "1.37", budget=Budget.parse("3s"), clock=count().__next__)
    assert group.spend().driven == 3
    assert group.is_unfinished
    group.spend_more(2)
    assert group.outcome.driven == 5
    group.spend_more(1000)
    assert (group.outcome.driven, group.is_unfinished) == (50, False)


def test_after_three_faults_no_more_of_that_kind_is_asked_and_the_others_are():
    class KnowsNoSidecars(ReferenceTarget):
        def classify(self, request):
            assert not request.pod["spec"].get("initContainers")
            return super().classify(request)

    crashing = ask_for({**PLAIN, "initContainers": [{"name": "i"}]})
    scenarios = [
        Scenario(*kind, MACHINE, script)
        for number in range(9)
        for kind, script in ((("walk", f"walk {number}"), crashing), (("sweep", f"sweep {number}"), ask_for(PLAIN)))
    ]
    outcome = Asking(scenarios, Directly(KnowsNoSidecars()), "1.37").spend()
    assert (len(outcome.ended), outcome.driven) == (3, 12)


def ask_for(spec):
    return lambda: ask_all([("classify", {"pod": pod(spec)})])


class TestSideBySide:
    """Several of a target take turns."""

    def scenarios(self):
        return [
            Scenario("sweep", f"classify {number}", MACHINE, lambda: ask_all([("classify", {"pod": pod(PLAIN)})]))
            for number in range(8)
        ]

    def test_they_are_asked_at_the_same_time(self):
        both = Barrier(2, timeout=PATIENCE)

        class Waits(Directly):
            def call(self, method, params):
                both.wait()
                return super().call(method, params)

        clients = [Waits(ReferenceTarget()) for _ in range(2)]
        outcome = Asking(self.scenarios(), clients[0], "1.37", more_clients=clients[1:]).spend()
        assert (outcome.driven, outcome.ended) == (8, [])

    @pytest.mark.parametrize("number", [1, 3])
    def test_each_scenario_is_asked_once_and_judged(self, number):
        kept = []
        first, *others = [Directly(ReferenceTarget()) for _ in range(number)]
        outcome = Asking(self.scenarios(), first, "1.37", more_clients=others, keep=kept.append).spend()
        assert sorted(history.head.cell for history in kept) == [f"classify {number}" for number in range(8)]
        assert outcome.verdicts.tests["qos/best-effort-has-none"] == 8

    def test_an_error_of_ours_is_not_lost(self):
        class Errs(Directly):
            def call(self, method, params):
                raise ZeroDivisionError

        clients = [Errs(ReferenceTarget()) for _ in range(2)]
        with pytest.raises(ZeroDivisionError):
            Asking(self.scenarios(), clients[0], "1.37", more_clients=clients[1:]).spend()

    def test_an_interrupted_run_does_not_wait_until_all_is_asked(self):
        asked = []

        class Interrupts(Directly):
            def call(self, method, params):
                asked.append(method)
                if len(asked) == 20:
                    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                if len(asked) >= 20:
                    wait_until(lambda: asking._is_interrupted)
                return super().call(method, params)

        clients = [Interrupts(ReferenceTarget()) for _ in range(2)]
        asking = Asking(self.scenarios() * 100, clients[0], "1.37", more_clients=clients[1:])
        with pytest.raises(KeyboardInterrupt):
            asking.spend()
        assert len(asked) in (20, 21)


class TestWhatIsKnown:
    """What is known to show a requirement is asked beside the budget."""

    REQUIREMENT = "cpu-manager/shared-pool/regains-cpus-on-removal"

    def asked(self, requirement):
        ((generator, cell, machine), *_) = places_of(self.REQUIREMENT)
        known = Scenario(generator, cell, dataclasses.replace(MACHINE, name=machine), lambda: ask_all([]))
        kept = []
        group = Asking(
            [*SCENARIOS, known],
            Directly(ReferenceTarget()),
            "1.37",
            budget=Budget.parse("3s"),
            keep=kept.append,
            clock=count().__next__,
        )
        group.spend_on_known([requirement])
        known_ones = [history.head.cell for history in kept]
        group.spend()
        return known_ones, len(kept), cell

    def test_it_comes_first_and_takes_nothing_of_the_budget(self):
        known_ones, asked, cell = self.asked(self.REQUIREMENT)
        assert (known_ones, asked) == ([cell], 4)

    def test_what_others_need_is_not_asked_for(self):
        assert self.asked("qos/no-such-thing")[:2] == ([], 3)


def test_what_falls_first_in_a_conversation_is_told_from_what_falls_with_it():
    one, other = (History(Head("sweep", name, 0, MACHINE, "1.37", "t 1"), ()) for name in "ab")
    broken = [
        Broken("a/first", one, 3, Violation("")),
        Broken("a/with-it", one, 3, Violation("")),
        Broken("a/later", one, 5, Violation("")),
        Broken("a/first", one, 7, Violation("")),
        Broken("a/later", other, 2, Violation("")),
    ]
    outcomes = [GroupOutcome(HistoryVerdicts(broken=broken))]
    counted = {name: broken_first_in(outcomes, name) for name in ("a/first", "a/with-it", "a/later", "a/never")}
    assert counted == {"a/first": 1, "a/with-it": 1, "a/later": 1, "a/never": 0}
    assert {name: times_broken(outcomes, name) for name in counted} == {**counted, "a/first": 2, "a/later": 2}


@pytest.mark.parametrize(
    ("budget", "cheap", "part"), [("2%", True, 1.0), ("2%", False, 0.02), ("100%", True, 1.0), ("90s", True, None)]
)
def test_a_cheap_group_is_whole_unless_the_budget_is_a_time(budget, cheap, part):
    spent = Budget.parse(budget).of_group(cheap=cheap)
    assert (None if spent.seconds is not None else spent.part) == part


def test_what_takes_a_second_is_cheap_and_lives_of_nodes_are_not():
    cheap = {name for name in GROUPS if is_cheap(name)}
    assert cheap >= {"classes", "scores", "plugins", "claims"}
    assert cheap.isdisjoint({"lives", "picks"})
    assert sum(GROUPS_COST[name] for name in cheap) < 0.1 * sum(GROUPS_COST.values())


def test_what_was_asked_least_comes_first_in_what_is_left_of_a_part():
    kinds = [dataclasses.replace(SCENARIOS[0], cell=cell) for cell in ["common", "rare"] * 9]
    driven = [(kinds[0], {"a/often": 5}), (kinds[2], {"a/often": 5}), (kinds[1], {"a/often": 5, "a/rarely": 1})]
    ordered = rarest_first(kinds[3:], driven, 4)
    assert [scenario.cell for scenario in ordered[:4]] == ["rare"] * 4
    assert sorted(map(id, ordered)) == sorted(map(id, kinds[3:]))
    assert ordered == rarest_first(kinds[3:], driven[::-1], 4)
