/** How one check came out; `needs_review` is a check that could not be run. */
export type CheckStatus = 'passed' | 'failed' | 'needs_review' | 'skipped';

/** What a check looks at; any other word is allowed. */
export type CheckKind = 'test' | 'build' | 'typecheck' | 'lint' | 'format' | (string & {});

/** One check of a report, in its wire form. */
export interface VerificationCheck {
  /** Stable: a later check with the same id takes the place of an earlier one. */
  readonly id: string;
  readonly kind: CheckKind;
  readonly description: string;
  readonly status: CheckStatus;
  /** Whether the work counts as verified only when this check has passed. */
  readonly required: boolean;
  /** Tools to look further with. */
  readonly suggested_tools: readonly string[];
  /** Artifacts that hold what the check printed; sorted, each once. */
  readonly evidence_uris: readonly string[];
  /** What stays uncertain, in one sentence. */
  readonly residual_risk?: string;
}

/** The outcome of verifying one subject, with the schema of A3S Code. */
export interface VerificationReport {
  readonly schema: 'a3s.verification_report.v1';
  /** What was verified, in words. */
  readonly subject: string;
  readonly status: CheckStatus;
  readonly checks: readonly VerificationCheck[];
  readonly residual_risks: readonly string[];
  /** Digest of the changes that the report speaks of; a report without one passes no gate. */
  readonly effect_digest?: string;
}

/**
 * The status of a list of checks: a failed required check fails it; a failed optional one, a required one that
 * did not run, and any remaining risk need a review; nothing checked is `skipped`.
 */
export function reportStatus(
  checks: readonly VerificationCheck[],
  residualRisks: readonly string[] = [],
): CheckStatus {
  if (checks.some(({ status, required }) => required && status === 'failed')) return 'failed';
  const doubtful = checks.some(
    ({ status, required, residual_risk }) =>
      status === 'failed' ||
      (required && (status === 'needs_review' || status === 'skipped')) ||
      residual_risk !== undefined,
  );
  if (doubtful || residualRisks.length > 0) return 'needs_review';
  return checks.length === 0 ? 'skipped' : 'passed';
}

/** Makes a report of checks; of several with one id the last counts, in the place of the first. */
export function toVerificationReport(
  subject: string,
  checks: readonly VerificationCheck[],
  options: { readonly residualRisks?: readonly string[]; readonly effectDigest?: string } = {},
): VerificationReport {
  const latest = [...new Map(checks.map((check) => [check.id, check])).values()];
  const risks = [
    ...new Set([
      ...latest.map(({ residual_risk }) => residual_risk).filter((risk) => risk !== undefined),
      ...(options.residualRisks ?? []),
    ]),
  ];
  return {
    schema: 'a3s.verification_report.v1',
    subject,
    status: reportStatus(latest, risks),
    checks: latest,
    residual_risks: risks,
    ...(options.effectDigest === undefined ? {} : { effect_digest: options.effectDigest }),
  };
}
