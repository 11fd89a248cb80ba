/** Every stub by the name of its provider. */
import { startFalStub } from "./fal/fal.ts"
import { startReplicateStub } from "./replicate/replicate.ts"
import { startOpenAiStub } from "./openai/openai-images.ts"
import type { RunningStub, StubOptions } from "./running-stub.ts"

export const STUBS: Readonly<Record<string, (options?: StubOptions) => Promise<RunningStub>>> = {
  fal: startFalStub,
  openai: startOpenAiStub,
  replicate: startReplicateStub,
}
