import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { memoryArtifactStore } from '../../src/artifacts/memory-artifact-store.ts';
import { withEvidence } from '../../src/evidence/result-metadata.ts';
import { createToolResultEvidence } from '../../src/evidence/tool-result-evidence.ts';
import { conservativeProjection } from '../../src/projection/policy.ts';
import { project } from '../../src/projection/project.ts';
import { createTransformBinding } from '../../src/projection/transform-binding.ts';

const binding = createTransformBinding(conservativeProjection);
const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('the evidence of a result', () => {
  it('of an untouched output says that nothing was lost', async () => {
    const projection = await project('héllo', conservativeProjection, { tool: 'read' });
    expect(createToolResultEvidence(projection)).toEqual({
      schema: 'a3s.code.tool-result-evidence.v1',
      original_bytes: 6,
      projected_bytes: 6,
      original_estimated_tokens: 2,
      projected_estimated_tokens: 2,
      token_estimator: 'utf8-bytes-ceil-div-4/v1',
      transform_algorithm: 'a3s.code.tool-result-transform.v1',
      content_digest: digest('héllo'),
      projected_digest: digest('héllo'),
      repeat_key: digest('héllo'),
      content_ref: `inline:${digest('héllo')}`,
      loss_mode: 'none',
      byte_delta: 0,
      estimated_token_delta: 0,
    });
  });

  it('of one byte too many: marker, artifact with all bytes, bounded_preview, reference', async () => {
    const text = 'x'.repeat(102_401);
    const artifacts = memoryArtifactStore();
    const projection = await project(text, conservativeProjection, { tool: 'bash', artifacts });
    const hex = digest(text).slice(7);
    const uri = `a3s://tool-output/bash/${hex}`;
    const { output, shownBytes } = projection;
    expect(output).toBe(
      `${'x'.repeat(shownBytes)}\n\n[tool output truncated: showing the first ${shownBytes} of 102401 bytes. ` +
        `Full output is retained as an immutable artifact.]\n\n[Full output artifact: ${uri}]`,
    );
    expect(output.length).toBeLessThanOrEqual(102_400);
    expect(output.length).toBeGreaterThan(102_380);
    expect(withEvidence({ exit_code: 0 }, projection, binding)).toEqual({
      exit_code: 0,
      artifact: {
        artifact_id: `tool-output:bash:${hex}`,
        artifact_uri: uri,
        original_bytes: 102_401,
        shown_bytes: shownBytes,
      },
      a3s_tool_result_evidence: {
        schema: 'a3s.code.tool-result-evidence.v1',
        original_bytes: 102_401,
        projected_bytes: output.length,
        original_estimated_tokens: 25_601,
        projected_estimated_tokens: Math.ceil(output.length / 4),
        token_estimator: 'utf8-bytes-ceil-div-4/v1',
        transform_algorithm: 'a3s.code.tool-result-transform.v1',
        content_digest: digest(text),
        projected_digest: digest(output),
        repeat_key: digest(text),
        content_ref: uri,
        loss_mode: 'bounded_preview',
        byte_delta: output.length - 102_401,
        estimated_token_delta: Math.ceil(output.length / 4) - 25_601,
      },
      a3s_tool_result_transform_binding: binding,
    });
    expect(await artifacts.stat(uri)).toMatchObject({ bytes: 102_401, sha256: hex });
  });

  it('says that and why an original was not retained', async () => {
    const artifacts = memoryArtifactStore({ maxBytes: 1000 });
    const text = 'x'.repeat(200_000);
    const options = { tool: 'bash', artifacts };
    const projection = await project(text, conservativeProjection, options);
    expect(projection.output).toMatch(/Full output was not retained: too_large\.\]$/);
    expect(withEvidence(undefined, projection, binding)).toMatchObject({
      artifact: { not_retained: true, reason: 'too_large' },
      a3s_tool_result_evidence: { content_ref: `inline:${digest(text)}` },
    });
  });
});

describe('the metadata of a result', () => {
  it('cannot be forged by a tool', async () => {
    const projection = await project('x', conservativeProjection, { tool: 'bash' });
    const forged = {
      artifact: { artifact_uri: 'a3s://tool-output/x/0' },
      a3s_tool_result_evidence: { loss_mode: 'none' },
      a3s_tool_result_transform_binding: {},
      kept: true,
    };
    const metadata = withEvidence(forged, projection, binding);
    expect(metadata).toEqual({
      kept: true,
      a3s_tool_result_evidence: createToolResultEvidence(projection),
      a3s_tool_result_transform_binding: binding,
    });
    expect(forged.artifact.artifact_uri).toBe('a3s://tool-output/x/0');
  });

  it.each([
    [undefined, {}],
    [null, {}],
    [{ a: 1 }, { a: 1 }],
    ['text', { previous_metadata: 'text' }],
    [[1, 2], { previous_metadata: [1, 2] }],
    [0, { previous_metadata: 0 }],
  ])('keeps %j as %j', async (metadata, own) => {
    const projection = await project('x', conservativeProjection, { tool: 'bash' });
    const {
      a3s_tool_result_evidence: _evidence,
      a3s_tool_result_transform_binding: _binding,
      ...rest
    } = withEvidence(metadata, projection, binding);
    expect(rest).toEqual(own);
  });
});
