// The public surface: every name here is API.
export { toAiSdkTools, type AiSdkTools } from './to-ai-sdk-tools.ts';
export { toModelOutput } from './to-model-output.ts';
