/**
 * What a provider has made, on its way to the disk: `collect_mib_per_s` beside a bare copy of the same
 * files from the same server in the same run, and what 64 collections at once take of memory, for small
 * files and for larger ones.
 */
import { createWriteStream } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { request } from "undici"
import { median, report } from "../measure.ts"
import { openProviderWorld } from "./provider-world.ts"
import { readSizes } from "./sizes.ts"

const {
  files,
  mib,
  rounds,
  "most-mib": mostMib,
} = readSizes({
  files: { full: 8, quick: 2 },
  mib: { full: 64, quick: 4 },
  rounds: { full: 5, quick: 1 },
  "most-mib": { full: 32, quick: 2 },
})
const MEBIBYTE = 1024 * 1024
const AT_ONCE = 64

let fileBytes = mib * MEBIBYTE
await using world = await openProviderWorld({
  concurrency: AT_ONCE,
  pollAfterMs: 1_000,
  fileBytes: () => fileBytes,
})
const copies = join(world.folder, "copies")

async function collect(): Promise<void> {
  const id = await world.submit()
  const task = await world.engine.finished(id)
  if (task?.artifacts[0]?.bytes !== fileBytes) throw new Error(`${id} was not collected whole`)
}

async function copy(_: unknown, index: number): Promise<void> {
  const { body } = await request(`${world.url}/files/${fileBytes}`)
  // As durable as what the engine stores.
  await pipeline(body, createWriteStream(join(copies, String(index)), { flush: true }))
}

async function timeOf(make: (_: unknown, index: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: files }, make))
  return (files * mib) / ((performance.now() - startedAt) / 1_000)
}

async function measureSpeed(): Promise<Record<string, number>> {
  const [own, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round += 1) {
    await mkdir(copies, { recursive: true })
    const speeds = [await timeOf(collect), await timeOf(copy)]
    await rm(copies, { recursive: true })
    // The first round warms both up.
    if (round > 0) [own, bare].forEach((list, index) => list.push(speeds[index] ?? 0))
  }
  const ratios = own.map((speed, index) => speed / (bare[index] ?? Number.NaN))
  return {
    collect_mib_per_s: median(own),
    bare_mib_per_s: median(bare),
    collect_ratio: median(ratios),
  }
}

/** How far resident memory rises at its highest, in MiB. */
async function measureGrowth(bytes: number): Promise<number> {
  fileBytes = bytes
  const before = process.memoryUsage.rss()
  let most = before
  const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20)
  await Promise.all(Array.from({ length: AT_ONCE }, collect))
  clearInterval(sampling)
  return (most - before) / MEBIBYTE
}

const speed = await measureSpeed()
report({
  ...speed,
  collect_64_growth_mb: await measureGrowth((mostMib * MEBIBYTE) / 2),
  collect_64_twice_growth_mb: await measureGrowth(mostMib * MEBIBYTE),
})
