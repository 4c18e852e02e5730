import type { SchemaNode, SchemaKeywords } from '../schema/schema-node.ts';
import type { JsonValue } from '../json/json.ts';
import type { BuildCheck } from './array-checks.ts';
import type { Check, CheckRun } from './check-run.ts';
import { foundType } from './scalar-checks.ts';
import type { ValidationError } from './validation-error.ts';

/** The checks of `allOf`, `anyOf`, `oneOf`, `not` and `if`. */
export function combinedChecks(
  schema: SchemaKeywords,
  build: BuildCheck,
  describe: (schema: SchemaNode) => string,
): readonly Check[] {
  const checks: Check[] = [];
  if (schema.allOf !== undefined) checks.push(...schema.allOf.map(build));
  if (schema.anyOf !== undefined) {
    checks.push(anyOfCheck(schema.anyOf.map(build), () => describe({ anyOf: schema.anyOf ?? [] })));
  }
  if (schema.oneOf !== undefined) {
    checks.push(oneOfCheck(schema.oneOf.map(build), () => describe({ anyOf: schema.oneOf ?? [] })));
  }
  if (schema.not !== undefined) {
    const check = build(schema.not);
    checks.push(
      (value, run) =>
        !run.probeOnly(value, check) ||
        run.fail('not', () => 'this value is excluded by the schema'),
    );
  }
  if (schema.if !== undefined) checks.push(conditionCheck(schema, build, build(schema.if)));
  return checks;
}

function conditionCheck(schema: SchemaKeywords, build: BuildCheck, condition: Check): Check {
  const then = schema.then === undefined ? undefined : build(schema.then);
  const otherwise = schema.else === undefined ? undefined : build(schema.else);
  return (value, run) => {
    const next = run.probe(value, condition) ? then : otherwise;
    return next === undefined || next(value, run);
  };
}

function anyOfCheck(branches: readonly Check[], allowed: () => string): Check {
  return (value, run) => {
    let valid = false;
    for (const branch of branches) {
      if (!run.probe(value, branch)) continue;
      valid = true;
      // What the other branches evaluate matters only to an `unevaluated` keyword above.
      if (run.evaluated === undefined) return true;
    }
    return valid || explain('anyOf', { value, run, branches, allowed });
  };
}

function oneOfCheck(branches: readonly Check[], allowed: () => string): Check {
  return (value, run) => {
    let found = 0;
    for (const branch of branches) if (run.probe(value, branch)) found += 1;
    if (found === 1) return true;
    if (found > 1) {
      return run.fail(
        'oneOf',
        () => `must match exactly one of the allowed forms, matches ${found}`,
      );
    }
    return explain('oneOf', { value, run, branches, allowed });
  };
}

/** Reports the branch that was most likely meant, or all alternatives if none is closer than the others. */
function explain(
  keyword: string,
  failed: {
    readonly value: JsonValue;
    readonly run: CheckRun;
    readonly branches: readonly Check[];
    readonly allowed: () => string;
  },
): false {
  const { value, run, branches, allowed } = failed;
  if (run.errors === undefined) return false;
  const here = run.pointer();
  const candidates = branches
    .map((branch) => run.collect(value, branch, true).errors)
    .filter((errors) => errors.length > 0 && !errors.some((error) => isOtherKind(error, here)));
  const closest = candidates.filter((errors) => !errors.some(isOtherVariant));
  const best = (closest.length > 0 ? closest : candidates).toSorted(
    (left, right) => left.length - right.length,
  );
  const [chosen] = best;
  if (chosen === undefined || (closest.length !== 1 && best.length > 1)) {
    return run.fail(keyword, () => `must be ${allowed()}, got ${foundType(value)}`);
  }
  run.add(chosen);
  return false;
}

/** The branch wants another kind of value here. */
function isOtherKind(error: ValidationError, here: string): boolean {
  return error.path === here && /^(?:type|enum|const)$/u.test(error.keyword);
}

/** The branch is another variant: a property that names the variant has another value. */
function isOtherVariant(error: ValidationError): boolean {
  return error.keyword === 'const' || error.keyword === 'enum';
}
