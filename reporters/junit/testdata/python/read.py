"""Reads a JUnit file as its consumers do and prints what they see as JSON.

Jenkins' xunit plugin validates against its schema before it reads anything; junitparser is what the common
action for GitHub's checks reads with.
"""
import json
import sys

import junitparser
import xmlschema

schema, name = sys.argv[1:]
problems = [f"{e.path}: {e.reason}" for e in xmlschema.XMLSchema(schema).iter_errors(name)]
root = junitparser.JUnitXml.fromfile(name)
cases = []
for suite in root:
    for case in suite:
        cases.append({
            "suite": suite.name, "class": case.classname, "name": case.name, "seconds": case.time,
            "results": [{"kind": type(r).__name__, "message": r.message, "type": r.type} for r in case.result],
        })
json.dump({
    "problems": problems, "tests": root.tests, "failures": root.failures, "errors": root.errors, "cases": cases,
}, sys.stdout)
