/** An output of a channel is a URL at a host that it names, or bytes that are the same each time. */
import assert from "node:assert/strict"
import { isHostWithin, type Channel, type ChannelOutput, type OutputOrigins } from "@safelight/core"

export async function checkOutput(channel: Channel, output: ChannelOutput): Promise<void> {
  if ("url" in output) {
    const origins = channel.outputOrigins ?? assert.fail("it does not say where its outputs lie")
    assert.ok(isOf(origins, output.url), `${new URL(output.url).host} is no host of its outputs`)
    return
  }
  const [bytes, again] = [await read(output), await read(output)]
  assert.notEqual(bytes.byteLength, 0)
  assert.ok(bytes.equals(again), "an output that is opened anew is another")
  const { signal } = new AbortController()
  // Leaving the loop early closes the source.
  for await (const chunk of output.open(signal)) if (chunk.byteLength > 0) break
}

/** As the engine's fetch decides it. */
function isOf({ hosts, trustedOrigins = [] }: OutputOrigins, url: string): boolean {
  const { host, origin } = new URL(url)
  if (trustedOrigins.includes(origin)) return true
  return hosts.some((own) => isHostWithin(host, own))
}

async function read(output: Extract<ChannelOutput, { open: unknown }>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of output.open(new AbortController().signal)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
