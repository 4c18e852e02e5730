import type { JsonObject } from '../json/json.ts';
import { summariseVerification, type VerificationSummary } from './verification-summary.ts';
import type { VerificationReport } from './verification-report.ts';
import { verifyCommands, type VerificationCommand, type VerifyOptions } from './verify-commands.ts';

/**
 * The reports of one session. Whoever holds the ledger can issue reports, and nobody else: what a tool says
 * in its metadata is no report, however much it looks like one.
 */
export class VerificationLedger {
  readonly #reports: VerificationReport[] = [];

  /** Runs commands and keeps the report. Errors: as `verifyCommands`. */
  async verify(
    subject: string,
    commands: readonly VerificationCommand[],
    options: VerifyOptions,
  ): Promise<VerificationReport> {
    const report = freezeReport(await verifyCommands(subject, commands, options));
    this.#reports.push(report);
    return report;
  }

  /** Whether an object is a report that was issued here; a copy of one is not. */
  issued(report: VerificationReport | JsonObject): boolean {
    return this.#reports.some((known) => known === report);
  }

  /** In the order in which they were issued. */
  reports(): readonly VerificationReport[] {
    return [...this.#reports];
  }

  /** Where verification stands; with a digest, of the reports on exactly these changes. */
  summary(effectDigest?: string): VerificationSummary {
    return summariseVerification(
      effectDigest === undefined
        ? this.#reports
        : this.#reports.filter(({ effect_digest }) => effect_digest === effectDigest),
    );
  }
}

/** Nobody who was handed a report can change what it says. */
function freezeReport(report: VerificationReport): VerificationReport {
  for (const check of report.checks) {
    Object.freeze(check.suggested_tools);
    Object.freeze(check.evidence_uris);
    Object.freeze(check);
  }
  Object.freeze(report.checks);
  Object.freeze(report.residual_risks);
  return Object.freeze(report);
}
