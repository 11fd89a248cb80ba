/** The contract of a channel, passed by that of a ComfyUI server, with and without a key of its proxy. */
import { describeChannel } from "@safelight/testkit"
import { openContractFixture, PARAMETERS } from "./comfyui-world.ts"

const KEY = "a-key-of-the-proxy"

for (const given of [{}, { key: KEY }]) {
  const name = "key" in given ? "ComfyUI behind a proxy" : "ComfyUI"
  describeChannel(name, () => openContractFixture(given, KEY), { parameters: PARAMETERS })
}
