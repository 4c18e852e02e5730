import {
  reportStatus,
  type CheckStatus,
  type VerificationCheck,
  type VerificationReport,
} from './verification-report.ts';

/** Where the verification of a session stands. */
export interface VerificationSummary {
  readonly status: CheckStatus;
  readonly report_count: number;
  readonly required_check_count: number;
  /** Required checks that did not run. */
  readonly pending_required_check_count: number;
  readonly failed_check_count: number;
  readonly residual_risk_count: number;
  readonly pending_subjects: readonly string[];
  readonly failed_subjects: readonly string[];
}

/**
 * Sums up reports in the order in which they were made. For each subject the latest result of each check
 * counts, so that a failure which was mended does not stay, and a pass which broke does not either.
 */
export function summariseVerification(reports: readonly VerificationReport[]): VerificationSummary {
  const subjects = new Map<
    string,
    { checks: Map<string, VerificationCheck>; risks: readonly string[] }
  >();
  for (const { subject, checks, residual_risks } of reports) {
    const known = subjects.get(subject)?.checks ?? new Map<string, VerificationCheck>();
    for (const check of checks) known.set(check.id, check);
    subjects.set(subject, { checks: known, risks: residual_risks });
  }
  const all: VerificationCheck[] = [];
  const pending: string[] = [];
  const failed: string[] = [];
  const risks: string[] = [];
  for (const [subject, state] of subjects) {
    const checks = [...state.checks.values()];
    const status = reportStatus(checks, state.risks);
    if (status === 'failed') failed.push(subject);
    else if (status !== 'passed') pending.push(subject);
    all.push(...checks);
    risks.push(...state.risks);
  }
  const required = all.filter((check) => check.required);
  return {
    status: reportStatus(all, risks),
    report_count: reports.length,
    required_check_count: required.length,
    pending_required_check_count: required.filter(
      ({ status }) => status === 'needs_review' || status === 'skipped',
    ).length,
    failed_check_count: all.filter(({ status }) => status === 'failed').length,
    residual_risk_count: risks.length,
    pending_subjects: pending,
    failed_subjects: failed,
  };
}

/** Whether work may be called done: something required was checked, and nothing is failed, open or at risk. */
export function isVerified(summary: VerificationSummary): boolean {
  return summary.status === 'passed' && summary.required_check_count > 0;
}
