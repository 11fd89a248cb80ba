/**
 * The place for artifacts: one byte is stored, listed, read and removed again, and a bucket is asked for its clock and
 * its rules. A folder is not made for it, and in one of another user nothing is stored.
 */
import { randomUUID } from "node:crypto"
import { stat } from "node:fs/promises"
import { isSafelightError, SILENT_LOG } from "@safelight/core"
import { systemClock } from "@safelight/engine"
import {
  createArtifacts,
  toArtifactFolder,
  toBucketOptions,
  type ServedArtifacts,
} from "../data/open-places.ts"
import { askAddress } from "./ask-address.ts"
import { findUnwritable } from "./check-disk.ts"
import { compareClocks } from "./clock-words.ts"
import { findStranger } from "./find-stranger.ts"
import { fault, ok, orElse, warning, type Finding } from "./finding.ts"
import type { Surroundings } from "./surroundings.ts"

const NAME = "artifacts"

export async function checkArtifacts(surroundings: Surroundings): Promise<readonly Finding[]> {
  const { configuration } = surroundings
  const folder = toArtifactFolder(configuration)
  if (folder !== undefined && !(await isFolder(folder))) return [await checkNoFolder(folder)]
  const stranger = folder === undefined ? undefined : findStranger(NAME, folder)
  if (stranger !== undefined) return [stranger]
  const artifacts = await createArtifacts({ configuration, log: SILENT_LOG, clock: systemClock })
  const probed = findProbeFault(artifacts)
  if (folder !== undefined) return orElse([await probed], ok(NAME, `${folder}: a byte came back`))
  const endpoint = await readEndpoint(configuration.artifacts ?? "")
  // A bucket refuses what a wrong clock signs, and doesn't say why.
  const clocks = compareBucket(endpoint, surroundings)
  const found = await Promise.all([probed, clocks, findRules(surroundings)])
  return orElse(found.flat(), ok(NAME, `the bucket at ${endpoint}: a byte came back`))
}

export const ARTIFACTS_ADVICE =
  "correct the place for artifacts, its credentials, or the rights on it"

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

async function checkNoFolder(folder: string): Promise<Finding> {
  const unwritable = await findUnwritable(folder)
  if (unwritable === undefined) return ok(NAME, `no folder yet: the first start makes ${folder}`)
  const advice = "give it to the user of the service, on a file system that is not read-only"
  return fault(NAME, `${unwritable} can't be written, where ${folder} belongs`, advice)
}

/** Through the port, as an artifact: what is left of it by a crash goes by the sweep. */
async function findProbeFault(artifacts: ServedArtifacts): Promise<Finding | undefined> {
  try {
    await artifacts.check()
    return await probe(artifacts)
  } catch (error) {
    if (!isSafelightError(error)) throw error
    return fault(NAME, error.message, ARTIFACTS_ADVICE)
  }
}

async function probe(artifacts: ServedArtifacts): Promise<Finding | undefined> {
  const sent = Uint8Array.of(0x5a)
  const task = `doctor-${randomUUID()}`
  const { locator } = await artifacts.put({ task, key: "probe", body: once(sent) })
  try {
    const reader = await artifacts.open({ locator })
    try {
      const read = new Uint8Array(2)
      const bytes = await reader.read(read)
      if (bytes === 1 && read[0] === sent[0]) return undefined
      const words = "what was stored there came back as something else"
      return fault(NAME, words, "look at the disk, or at what is between here and the bucket")
    } finally {
      await reader.close()
    }
  } finally {
    await artifacts.remove(locator)
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function readEndpoint(place: string): Promise<string> {
  const { parseS3Url } = await import("@safelight/artifacts-s3")
  const { endpoint, region } = parseS3Url(place, NAME)
  return endpoint ?? `https://s3.${region}.amazonaws.com`
}

/** By the time that its answers carry, to anybody: it judges signatures by that clock. */
async function compareBucket(
  endpoint: string,
  { clock, patienceMs }: Surroundings,
): Promise<Finding | undefined> {
  const answer = await askAddress(endpoint, AbortSignal.timeout(patienceMs))
  if (answer.kind === "failed" || answer.at === undefined) return undefined
  return compareClocks(NAME, "the bucket", answer.at - clock.now())
}

const EFFECTS = {
  archives: "moves artifacts to where they can't be read at once",
  removes: "removes artifacts",
} as const

async function findRules({ configuration }: Surroundings): Promise<readonly Finding[]> {
  const { findHarmfulRules } = await import("@safelight/artifacts-s3")
  const { artifacts = "", credentials } = configuration
  const rules = await findHarmfulRules(await toBucketOptions(artifacts, NAME, credentials))
  return rules.map(({ effect, id }) =>
    warning(
      NAME,
      `the rule ${JSON.stringify(id)} of the bucket's lifecycle ${EFFECTS[effect]}`,
      "leave their prefix out of it: the service removes artifacts when they expire",
    ),
  )
}
