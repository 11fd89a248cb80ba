/** Every stub by the name of its provider. */
import { startArkStub } from "./ark/ark.ts"
import { startComfyRouterStub } from "./comfy-router/comfy-router.ts"
import { startFalStub } from "./fal/fal.ts"
import { startReplicateStub } from "./replicate/replicate.ts"
import { startHiggsfieldStub } from "./higgsfield/higgsfield.ts"
import { startOpenAiStub } from "./openai/openai-images.ts"
import type { RunningStub, StubOptions } from "./running-stub.ts"

export const STUBS: Readonly<Record<string, (options?: StubOptions) => Promise<RunningStub>>> = {
  ark: startArkStub,
  "comfy-router": startComfyRouterStub,
  fal: startFalStub,
  higgsfield: startHiggsfieldStub,
  openai: startOpenAiStub,
  replicate: startReplicateStub,
}
