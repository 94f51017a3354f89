"""Generates JSON schemas and values, and prints the results of the Python package jsonschema: whether each schema is valid, and whether each value
matches. Arguments: the seed and the number of schemas. Each line is {schema, isValid, cases: [{value, matches}]}.

The schemas contain no features that the library of pg_jsonschema and the Python package treat differently by default: `format`, content*,
`dependencies` after draft 7, patterns whose meaning differs between Python and ECMA-262, fractions without an exact binary form.
"""

import json
import random
import sys

from jsonschema import Draft4Validator, Draft6Validator, Draft7Validator, Draft201909Validator, Draft202012Validator
from jsonschema.exceptions import SchemaError

DRAFTS = {4: Draft4Validator, 6: Draft6Validator, 7: Draft7Validator, 2019: Draft201909Validator, 2020: Draft202012Validator}
NAMES = ["a", "b", "foo", "é", "x-1"]
NUMBERS = [0, 1, 1.0, 2, 2.5, -1, 10, 1e3, -0.5]
TEXTS = ["", "a", "ab", "foo", "12", "1a", "é日", "x y", "A\nb", "foo-bar_1"]
PATTERNS = ["^a", "o{2}", r"^\d+$", "a|b", "^[a-c]{1,2}$", "^(?:fo|ba)", "^[^0-9]*$", "^.{2,300}$", r"\.|\s"]
TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"]
WRONG = [None, -1, 1.5, "x", [], {}, ["x", "x"], [1], {"a": 1}, True, [{}], {"a": ["b", "b"]}, ["string", "string"], "string", {"a": True}]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, depth=0):
        pick = self.random.random()
        if depth > 2 or pick < 0.55:
            return self.random.choice([*NUMBERS, *TEXTS, True, False, None])
        count = self.random.randrange(4)
        if pick < 0.75:
            return [self.value(depth + 1) for _ in range(count)]
        return {self.random.choice(NAMES): self.value(depth + 1) for _ in range(count)}

    def schema(self, draft, depth=0, below=False):
        """`below` is true if the schema applies to a part of the value. Such a schema may refer to the root."""
        if draft > 4 and self.random.random() < 0.06:
            return self.random.random() < 0.6
        if self.random.random() < 0.08:
            return {"$ref": self.reference(draft, below)}
        schema = {}
        for _ in range(self.random.choice([1, 1, 2, 2, 3, 4])):
            self.add(schema, draft, depth, below)
        return schema

    def reference(self, draft, below):
        definitions = "definitions" if draft < 2019 else "$defs"
        targets = [f"#/{definitions}/leaf", f"#/{definitions}/sl~1ash"]
        if draft >= 2019:
            targets.append("#anchor")
        if below:
            targets += ["#", f"#/{definitions}/node"]
        return self.random.choice(targets)

    def add(self, schema, draft, depth, below):
        simple = ["type", "enum", "bounds", "multipleOf", "length", "pattern", "items count", "uniqueItems", "properties count", "required"]
        nested = ["properties", "patternProperties", "additionalProperties", "items", "allOf", "anyOf", "oneOf", "not"]
        if draft == 4:
            simple.append("exclusive")
        else:
            simple += ["const", "exclusive number"]
            nested += ["contains", "propertyNames"]
        if draft < 2020:
            nested.append("items list")
        if draft < 2019:
            nested.append("dependencies")
        if draft >= 7:
            nested.append("if")
        if draft >= 2019:
            simple.append("dependentRequired")
            nested += ["dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "min contains"]
        if draft == 2020:
            nested.append("prefixItems")
        keyword = self.random.choice(simple + (nested if depth < 3 else []))
        choice, count = self.random.choice, self.random.randrange(4)
        child = lambda: self.schema(draft, depth + 1, True)
        same = lambda: self.schema(draft, depth + 1, below)
        unique = lambda least: self.random.sample(NAMES, self.random.randrange(least, 3))
        match keyword:
            case "type":
                schema["type"] = choice(TYPES) if self.random.random() < 0.7 else self.random.sample(TYPES, 2)
            case "enum":
                schema["enum"] = list({json.dumps(value): value for value in [self.value(1) for _ in range(count + 1)]}.values())
            case "const":
                schema["const"] = self.value(1)
            case "bounds":
                schema[choice(["minimum", "maximum"])] = choice(NUMBERS)
            case "exclusive":
                bound = choice(["minimum", "maximum"])
                schema |= {bound: choice(NUMBERS), f"exclusive{bound.capitalize()}": choice([True, False])}
            case "exclusive number":
                schema[choice(["exclusiveMinimum", "exclusiveMaximum"])] = choice(NUMBERS)
            case "multipleOf":
                schema["multipleOf"] = choice([1, 2, 0.5, 2.5])
            case "length":
                schema[choice(["minLength", "maxLength"])] = count
            case "pattern":
                schema["pattern"] = choice(PATTERNS)
            case "items count":
                schema[choice(["minItems", "maxItems"])] = count
            case "uniqueItems":
                schema["uniqueItems"] = choice([True, True, False])
            case "properties count":
                schema[choice(["minProperties", "maxProperties"])] = count
            case "required":
                schema["required"] = unique(1)
            case "dependentRequired":
                schema["dependentRequired"] = {choice(NAMES): unique(0)}
            case "dependentSchemas":
                schema["dependentSchemas"] = {choice(NAMES): same()}
            case "dependencies":
                schema["dependencies"] = {choice(NAMES): choice([same(), unique(1)])}
            case "properties":
                schema["properties"] = {name: child() for name in unique(1)}
            case "patternProperties":
                schema["patternProperties"] = {choice(PATTERNS): child()}
            case "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems":
                # jsonschema ignores properties that a schema in additionalProperties has evaluated.
                schema[keyword] = choice([False, False, child() if draft < 2019 else True])
            case "items" | "contains" | "propertyNames":
                schema[keyword] = child()
            case "min contains":
                schema |= {"contains": child(), choice(["minContains", "maxContains"]): count}
            case "items list":
                schema["items"] = [child() for _ in range(count + 1)]
                if count:
                    schema["additionalItems"] = choice([False, child()])
            case "prefixItems":
                schema["prefixItems"] = [child() for _ in range(count + 1)]
            case "allOf" | "anyOf" | "oneOf":
                schema[keyword] = [same() for _ in range(1 + count % 3)]
            case "not":
                schema["not"] = same()
            case "if":
                schema |= {"if": same(), choice(["then", "else"]): same()}

    def root(self, draft):
        schema = self.schema(draft)
        if not isinstance(schema, dict):
            schema = {"not": schema}
        definitions = "definitions" if draft < 2019 else "$defs"
        leaf = {"type": self.random.choice(TYPES)}
        node = {"properties": {"a": {"$ref": f"#/{definitions}/node"}, "b": leaf}}
        if draft >= 2019:
            leaf = leaf | {"$anchor": "anchor"}
        schema = schema | {definitions: {"leaf": leaf, "node": node, "sl/ash": {"enum": [1, "a", None]}}}
        if draft != 2020 or self.random.random() < 0.5:
            schema = {"$schema": DRAFTS[draft].META_SCHEMA["$schema"], **schema}
        if self.random.random() < 0.25:
            self.damage(schema)
        return schema

    def damage(self, schema):
        """Replaces the value of a keyword, so that the schema is often not valid."""
        places = []
        waiting = [schema]
        while waiting:
            part = waiting.pop()
            if isinstance(part, dict):
                places += [(part, key) for key in part if key not in ("$schema", "$ref", "definitions", "$defs", "leaf", "node", "sl/ash", "pattern")]
            waiting += [child for child in (part.values() if isinstance(part, dict) else part) if isinstance(child, (dict, list))]
        if places:
            part, key = self.random.choice(places)
            part[key] = self.random.choice(WRONG)


def main(seed, count):
    generator = Generator(seed)
    for number in range(count):
        draft = list(DRAFTS)[number % len(DRAFTS)]
        schema, cases = generator.root(draft), []
        try:
            DRAFTS[draft].check_schema(schema)
            is_valid = True
        except SchemaError:
            is_valid = False
        validator = DRAFTS[draft](schema)
        for _ in range(4 if is_valid else 0):
            value = generator.value()
            cases.append({"value": value, "matches": validator.is_valid(value)})
        print(json.dumps({"schema": schema, "isValid": is_valid, "cases": cases}))


main(int(sys.argv[1]), int(sys.argv[2]))
