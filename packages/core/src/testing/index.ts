// What tests of tool packages need; no test runner is imported.
export {
  fakeBrowserClient,
  fakeEmbeddingClient,
  fakeHttpClient,
  fakeModelClient,
  type FakeResponse,
} from './fake-services.ts';
export { faultyWorkspace, type FaultPlan, type WorkspaceFault } from './faulty-workspace.ts';
export { memoryState } from './memory-state.ts';
export { recordingWorkspace, type WorkspaceRecord } from './recording-workspace.ts';
export {
  runConformance,
  type ConformanceCheck,
  type ConformanceOptions,
  type ConformanceReport,
} from './run-conformance.ts';
export { toolConformance, type DefineTest } from './tool-conformance.ts';
