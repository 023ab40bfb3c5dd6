"""check_sarif.py FILE - what SARIF 2.1.0 requires of the parts that Lockstep writes (sections 3.13 to 3.52)."""
import json
import sys

log = json.load(open(sys.argv[1]))
assert log["version"] == "2.1.0" and log["$schema"].endswith(".json")
(run,) = log["runs"]
driver = run["tool"]["driver"]
rules = driver["rules"]
assert driver["name"] and driver["version"]
assert len({r["id"] for r in rules}) == len(rules)
for rule in rules:
    assert rule["name"][0].isupper() and "-" not in rule["name"]
    assert rule["shortDescription"]["text"] and rule["help"]["text"]
    assert rule["defaultConfiguration"]["level"] in ("error", "warning")
for invocation in run["invocations"]:
    assert isinstance(invocation["executionSuccessful"], bool)


def check_location(where):
    physical = where["physicalLocation"]
    artifact = physical["artifactLocation"]
    uri = artifact["uri"]
    assert " " not in uri and "\\" not in uri
    assert uri.startswith("file:///") != ("uriBaseId" in artifact), uri
    assert physical["region"]["startLine"] >= 1 and physical["region"].get("startColumn", 1) >= 1


for result in run["results"]:
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["level"] in ("error", "warning") and result["message"]["text"]
    assert result["occurrenceCount"] >= 1
    assert len(result.get("locations", [])) <= 1
    for where in result.get("locations", []) + result.get("relatedLocations", []):
        check_location(where)
    ids = [where["id"] for where in result.get("relatedLocations", [])]
    assert ids == list(range(1, len(ids) + 1))
    assert all(where["message"]["text"] for where in result.get("relatedLocations", []))
assert run["results"]
