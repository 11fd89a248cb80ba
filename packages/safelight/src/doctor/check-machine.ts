/** The machine as this process sees it: Node, memory, open files, the clock. */
import { formatSize } from "../text/size.ts"
import { readMemoryBytes, toBodySettings } from "../service/body-memory.ts"
import { judgeOpenFiles } from "../service/open-files.ts"
import { fault, ok, warning, type Finding } from "./finding.ts"

/** When this release was made, or before: no right clock shows less. */
const EARLIEST_AT = Date.UTC(2026, 10, 1)

export async function checkMachine(clock: {
  readonly now: () => number
}): Promise<readonly Finding[]> {
  const node = ok("node", `${process.version} on ${process.platform} ${process.arch}`)
  return [node, checkMemory(readMemoryBytes()), await checkOpenFiles(), checkClock(clock.now())]
}

/** Throws what the start would throw, with too little of it. */
export function checkMemory(memoryBytes: number): Finding {
  const { bodiesInFlightBytes, bodyBytes } = toBodySettings(memoryBytes)
  const whole = toBodySettings(Number.MAX_SAFE_INTEGER)
  const words = `${formatSize(memoryBytes)}, for bodies of ${formatSize(bodyBytes)}, ${formatSize(bodiesInFlightBytes)} at once`
  if (bodyBytes >= whole.bodyBytes) return ok("memory", words)
  const advice = `raise the limit of the container or control group for bodies of up to ${formatSize(whole.bodyBytes)}`
  return warning("memory", words, advice)
}

async function checkOpenFiles(): Promise<Finding> {
  const { advice, state, words } = await judgeOpenFiles()
  if (state === "enough") return ok("open files", words)
  return (state === "few" ? warning : fault)("open files", words, advice)
}

function checkClock(now: number): Finding {
  const shown = new Date(now).toISOString()
  if (now >= EARLIEST_AT) return ok("clock", shown)
  return fault("clock", `it shows ${shown}, which is past`, "set the clock, and let it follow NTP")
}
