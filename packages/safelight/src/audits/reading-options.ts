/** How much of the bytes of artifacts an audit reads, and how fast: the options of the commands that read them. */
import { randomBytes } from "node:crypto"
import type { ArtifactReading } from "@safelight/audit"
import { parseByteRate, parseSampleShare } from "../command-line/option-values.ts"
import { option } from "../command-line/parameters.ts"
import { refused } from "../errors/command-error.ts"

export const READING_OPTIONS = {
  sample: option(
    "<share>",
    "read a share of the artifacts, as in 1% or 0.01 (default: all)",
    parseSampleShare,
  ),
  seed: option("<text>", "with --sample: the artifacts that a report with this seed read"),
  rate: option(
    "<bytes>",
    "read at most so many bytes a second, as in 20MB (default: as many as there are)",
    parseByteRate,
  ),
}

export interface ReadingOptions {
  readonly sample?: number | undefined
  readonly seed?: string | undefined
  readonly rate?: number | undefined
}

export type Reading = Pick<ArtifactReading, "bytesPerSecond" | "sample">

/**
 * A seed that was not given is a new one: two audits of 1% read different artifacts. Throws a `CommandError` if a seed
 * chooses nothing.
 */
export function toReading({ rate: bytesPerSecond, sample: share, seed }: ReadingOptions): Reading {
  if (share !== undefined) {
    return { bytesPerSecond, sample: { share, seed: seed ?? randomBytes(4).toString("hex") } }
  }
  if (seed === undefined) return { bytesPerSecond }
  throw refused("--seed chooses the artifacts of --sample, which is not there")
}
