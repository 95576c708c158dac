"""How a benchmark says that its goal is met."""


def at_most(value: float, goal: float) -> str:
    """
    Judge a value that should be small.

    >>> at_most(1.049, 1.05)
    'goal at most 1.05: met'
    """
    return f"goal at most {goal}: {'met' if value <= goal else 'missed'}"


def at_least(value: float, goal: float) -> str:
    """
    Judge a value that should be large.

    >>> at_least(0.7, 0.8)
    'goal at least 0.8: missed'
    """
    return f"goal at least {goal}: {'met' if value >= goal else 'missed'}"
