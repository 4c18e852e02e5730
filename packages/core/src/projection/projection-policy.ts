/** How outputs are bounded: A3S Code's transform policy, v1, in its wire form. */
export interface ProjectionPolicy {
  readonly schema: 'a3s.code.tool-result-transform-policy.v1';
  /** 1,024–102,400. */
  readonly max_output_bytes: number;
  readonly head_bytes: number;
  readonly tail_bytes: number;
  readonly fold_repeated_lines: boolean;
  /** 2–10,000. */
  readonly repeated_line_threshold: number;
  /** 0–1,024; 0 is off. */
  readonly structured_sample_items: number;
}
