/**
 * What of the tests runs when: in which process, in which order, and how many at once. Only the last phase
 * that names a file has it, so that a file of a suite may be left for later.
 */
import { availableParallelism } from "node:os"
import { isAbsolute, relative } from "node:path"
import { bundleSuites } from "./bundle-suites.ts"

/** Files that run before those of the next phase begin, in this order. */
export interface Phase {
  readonly files: readonly string[]
  readonly concurrency: number
}

export interface PlanRequest {
  /** Of the whole run, by their paths from the folder of all tests. */
  readonly files: readonly string[]
  /** Where the files go that stand for suites. */
  readonly folder: string
}

/**
 * Suites whose files leave nothing behind in their process: started for each file, it would take longer
 * to load than most of them run.
 */
const TOGETHER = [
  "core",
  "engine",
  "access",
  "webhooks",
  "client",
  "stubs",
  "adapters/channel-comfyui",
  "adapters/channel-http",
  "adapters/store",
  "service/conformance",
  "service/metrics",
  "service/secrets",
  "adapters/http",
  "adapters/artifacts-s3",
  "adapters/fetch-guarded",
  "service/models",
  "packages",
  "architecture",
  "service/channels",
  "service/command",
  "service/bucket",
  "service/generated",
  "service/operator",
  "adapters/storage-postgres",
  "adapters/storage-sqlite",
  "adapters/tracing-opentelemetry",
  "console",
  "service/postgres",
  "service/running",
]

/**
 * Of those suites, what has a process all the same: it takes long and can run beside the rest, or the
 * conformance list has tests of a contract, whose file their process tells.
 */
const APART = [
  "adapters/storage-postgres/contract",
  "adapters/storage-sqlite/contract",
  "adapters/storage-sqlite/old-node",
  "console/accessibility",
]

/** What takes longest, from the longest on: begun first, it has the rest beside it to the end. */
const FIRST = [
  "scenarios/fault-matrix",
  "adapters/storage-postgres",
  "packages",
  "scenarios",
  "service/command",
  "console",
  "adapters/storage-sqlite",
  "adapters/channel-studio",
  "service/channels",
  "painter",
  "service/generated",
  "adapters/http",
  "faults/cluster",
  "faults/postgres",
  "faults/surroundings",
]

/**
 * The tests of the packages remove the console's page and build it anew: what may load it waits for them. As
 * much as takes as long runs beside them, so that little waits.
 */
const WITH_PACKAGES = ["packages", "scenarios", "adapters/storage-postgres"]

/** Rounds whose nodes have little patience: two at a time have a core each, for much of a round is waiting. */
const IN_PAIRS = ["faults"]

/** Sockets with short time limits. */
const ALONE = ["service/http/flood", "service/http/hostile-sockets"]

/** Two more than there are cores, since many only wait. */
const BESIDE_ONE_ANOTHER = availableParallelism() + 2

/** What no other phase names is of the second. */
const PHASES = [
  { suites: WITH_PACKAGES, concurrency: BESIDE_ONE_ANOTHER },
  { suites: [], concurrency: BESIDE_ONE_ANOTHER },
  { suites: IN_PAIRS, concurrency: 2 },
  { suites: ALONE, concurrency: 1 },
] as const

const REST = PHASES.findIndex(({ suites }) => suites.length === 0)

/** A suite is a folder or the beginning of a file's path. */
export function isIn(file: string, suite: string): boolean {
  return file.startsWith(`${suite}/`) || file.startsWith(`${suite}.`) || file === suite
}

/** The phases that have any files. */
export function planPhases({ files, folder }: PlanRequest): readonly Phase[] {
  const isApart = (file: string): boolean => isInOne(file, APART)
  const shared = files.filter((file) => !isApart(file))
  const entries = [
    ...bundleSuites({ folder, suites: TOGETHER, files: shared }),
    ...files.filter(isApart),
  ]
  const toName = (entry: string): string => (isAbsolute(entry) ? relative(folder, entry) : entry)
  const toPhase = (entry: string): number => {
    const named = PHASES.findLastIndex(({ suites }) => isInOne(toName(entry), suites))
    return named === -1 ? REST : named
  }
  const toRank = (entry: string): number => {
    const found = FIRST.findIndex((suite) => isIn(toName(entry), suite))
    return found === -1 ? FIRST.length : found
  }
  const ordered = entries.toSorted((one, other) => toRank(one) - toRank(other))
  return PHASES.map(({ concurrency }, phase) => ({
    files: ordered.filter((entry) => toPhase(entry) === phase),
    concurrency,
  })).filter((phase) => phase.files.length > 0)
}

function isInOne(file: string, suites: readonly string[]): boolean {
  return suites.some((suite) => isIn(file, suite))
}
