"""Compares the outcomes of one operation on Cloch and on the reference servers. The outcome of the majority of the references is the expected one."""


class Verdicts:
    """`names` lists the servers, Cloch first. A difference consists of a server, a reason and a condition. A difference of `cloch` applies to
    every reference server."""

    def __init__(self, names, differences):
        self.ours, *self.references = names
        self.differences = differences
        self.faults, self.explained, self.operations, self.same, self.done = [], {}, {}, 0, {}

    def judge(self, label, name, asked, outcomes):
        """Records the differences. Returns whether all outcomes are the same."""
        self.operations[name] = self.operations.get(name, 0) + 1
        ours = outcomes[self.ours]
        self.done[name] = self.done.get(name, 0) + (ours.get("code") == 0 or ours.get("status", 999) < 300)
        differing = [server for server in self.references if outcomes[server] != ours]
        if not differing:
            self.same += 1
            return True
        is_outvoted = len(differing) > 1 and all(outcomes[server] == outcomes[differing[0]] for server in differing) \
            and 2 * len(differing) > len(self.references)
        for server in differing:
            whose = ("cloch",) if is_outvoted else ("cloch", server)
            why = self.explanation(whose, name, asked, ours, outcomes[server])
            if why:
                self.explained[why] = self.explained.get(why, 0) + 1
            else:
                self.faults.append(f"{label}: {self.ours} {differs(ours, outcomes[server])}, {server} {differs(outcomes[server], ours)}")
        return False

    def explanation(self, whose, name, asked, ours, theirs):
        for who, why, holds in self.differences:
            if who in whose and holds(name, asked, ours, theirs):
                return f"{who}: {why}"
        return None

    def figures(self, steps):
        return {"steps": steps, "references": self.references, "same": self.same, "operations": self.operations, "done": self.done, "explained": self.explained,
                "faults": self.faults}


def differs(one, other):
    """The fields of an outcome that another has not, or otherwise."""
    return {key: value for key, value in one.items() if other.get(key) != value}
