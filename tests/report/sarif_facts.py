"""
What SARIF 2.1.0 says about the members that our reports have.

The part of the standard that is used here, as a JSON schema of our own: which
members an object may have, which it must have, and what their values may be.

Source:
    OASIS SARIF 2.1.0, sections 3.13 (sarifLog), 3.14 (run), 3.19 (toolComponent),
    3.20 (invocation), 3.27 (result), 3.28 to 3.33 (locations), 3.49 (reportingDescriptor).
"""

from __future__ import annotations

from typing import Any, Final

BAG: Final[dict[str, Any]] = {"type": "object"}  # 3.8: a property bag holds anything
TEXT: Final[dict[str, Any]] = {"type": "string"}
INDEX: Final[dict[str, Any]] = {"type": "integer", "minimum": -1}


def obj(required: tuple[str, ...] = (), **members: Any) -> dict[str, Any]:
    """Write an object that has these members and no other but a property bag."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {"properties": BAG, **members},
    }


def array(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Write an array of one kind of items."""
    return {"type": "array", "items": items, **more}


MESSAGE: Final = obj(text=TEXT, markdown=TEXT, id=TEXT, arguments=array(TEXT))  # 3.11
MULTIFORMAT: Final = obj(("text",), text=TEXT, markdown=TEXT)  # 3.12
ARTIFACT_LOCATION: Final = obj(  # 3.4
    uri={"type": "string", "format": "uri-reference"},
    uriBaseId=TEXT,
    index=INDEX,
    description=MESSAGE,
)
REGION: Final = obj(startLine={"type": "integer", "minimum": 1})  # 3.30
LOCATION: Final = obj(  # 3.28, 3.29, 3.33
    physicalLocation=obj(artifactLocation=ARTIFACT_LOCATION, region=REGION),
    logicalLocations=array(obj(fullyQualifiedName=TEXT, name=TEXT, kind=TEXT), uniqueItems=True),
)
RESULT: Final = obj(  # 3.27
    ("message",),
    ruleId=TEXT,
    ruleIndex=INDEX,
    kind={"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations=array(LOCATION),
)
RULE: Final = obj(  # 3.49
    ("id",),
    id=TEXT,
    name=TEXT,
    shortDescription=MULTIFORMAT,
    fullDescription=MULTIFORMAT,
    help=MULTIFORMAT,
    helpUri={"type": "string", "format": "uri"},
)
DRIVER: Final = obj(("name",), name=TEXT, version=TEXT, rules=array(RULE, uniqueItems=True))
INVOCATION: Final = obj(
    ("executionSuccessful",),
    executionSuccessful={"type": "boolean"},
    exitCode={"type": "integer"},
)
RUN: Final = obj(
    ("tool",),
    tool=obj(("driver",), driver=DRIVER),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds={"type": "object", "additionalProperties": ARTIFACT_LOCATION},
    invocations=array(INVOCATION),
    results=array(RESULT),
)
LOG: Final = obj(
    ("version", "runs"),
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"const": "2.1.0"},
    runs=array(RUN),
)
