/** How far clocks are apart, and what that breaks. */
import { formatSeconds } from "../text/amount.ts"
import { fault, warning, type Finding } from "./finding.ts"

/** HTTP tells whole seconds, and an answer takes its time. */
const TOLERANCE_MS = 5_000
/** Buckets refuse what is signed by a clock that is further off: S3's RequestTimeTooSkewed. */
const SIGNATURE_MS = 15 * 60_000

const ADVICE = "let this machine and that one follow NTP (`timedatectl` tells whether it does)"

/** Undefined if they agree. `aheadMs`: of the other's clock; below zero, it is behind. */
export function compareClocks(check: string, whose: string, aheadMs: number): Finding | undefined {
  const apartMs = Math.abs(aheadMs)
  if (apartMs <= TOLERANCE_MS) return undefined
  const words = `the clock of ${whose} is ${formatSeconds(Math.round(apartMs))} ${aheadMs > 0 ? "ahead of" : "behind"} this machine's`
  return apartMs >= SIGNATURE_MS ? fault(check, words, ADVICE) : warning(check, words, ADVICE)
}
