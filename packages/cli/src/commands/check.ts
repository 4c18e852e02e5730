import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isJsonArray, isJsonObject, type JsonObject } from '@toolwright/core';
import { runConformance, type ConformanceReport } from '@toolwright/core/testing';
import { fixtureWorkspaces } from '../check/fixture-workspaces.ts';
import { standIns } from '../check/stand-ins.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Options } from '../options.ts';
import { loadProvidersOf } from '../packages/load-providers.ts';
import { entryOf, readPackage, type PackageFolder } from '../packages/package-entry.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/**
 * `toolwright check [DIR]`: runs the conformance suite on the providers that a tool package exports, on the files of its
 * fixture. Exit code 1 where a check fails. Errors: `ConfigError` for a package that is none, or is not built.
 */
export async function check(options: Options, terminal: Terminal): Promise<number> {
  const [dir = '.', ...more] = options.positionals;
  if (more.length > 0) throw new UsageError('check takes one folder.');
  const found = readPackage(resolve(terminal.cwd, dir));
  const { name: given, version = null } = found.manifest;
  const name = typeof given === 'string' ? given : dir;
  const providers = await loadProvidersOf(entryOf(found), { name, options: {} });
  const settings = settingsOf(found);
  const reports: ConformanceReport[] = [];
  for (const provider of providers) {
    const workspaces = fixtureWorkspaces(settings.fixture, provider);
    try {
      reports.push(
        await runConformance(provider, {
          workspace: workspaces.open,
          services: standIns(),
          varying: settings.varying,
        }),
      );
    } finally {
      workspaces.close();
    }
  }
  const ok = reports.every((report) => report.ok);
  await writeLine(
    terminal.stdout,
    options.json
      ? JSON.stringify({
          package: name,
          version,
          ok,
          providers: reports,
        })
      : toText(reports),
  );
  return ok ? 0 : 1;
}

/** What `toolwright` says in a package.json: a folder with files for the examples, and tools whose output may differ. */
function settingsOf({ folder, manifest }: PackageFolder): {
  readonly fixture: string | undefined;
  readonly varying: readonly string[];
} {
  const given = manifest['toolwright'] ?? {};
  const settings: JsonObject = isJsonObject(given) ? given : {};
  const { fixture = 'fixture', varying = [] } = settings;
  const names = isJsonArray(varying) ? varying.filter((each) => typeof each === 'string') : [];
  if (typeof fixture !== 'string' || !isJsonArray(varying) || names.length < varying.length) {
    throw new ConfigError(
      `${join(folder, 'package.json')}: /toolwright takes "fixture", a folder, and "varying", a list of tools`,
    );
  }
  const path = resolve(folder, fixture);
  if (existsSync(path)) return { fixture: path, varying: names };
  if ('fixture' in settings) throw new ConfigError(`${path} is not there, which /toolwright names`);
  return { fixture: undefined, varying: names };
}

function toText(reports: readonly ConformanceReport[]): string {
  const checks = reports.flatMap((report) => report.checks);
  const failed = checks.filter(({ ok }) => !ok).length;
  return [
    ...checks.map(({ tool, check, ok, detail }) =>
      ok ? `ok    ${tool} ${check}` : `FAIL  ${tool} ${check}: ${detail ?? 'it does not'}`,
    ),
    `${checks.length - failed} of ${checks.length} checks passed.`,
  ].join('\n');
}
