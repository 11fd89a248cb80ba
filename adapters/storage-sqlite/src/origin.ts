/**
 * What identifies the database's file: its number in the file system and its birth time. A restart, a
 * reboot and a renamed folder keep both, a copy has its own. The device's number is no part of it: it
 * may change when a volume is mounted again.
 */
import { statSync } from "node:fs"
import type { Origins } from "@safelight/store"

export function readFileOrigins(file: string): Origins {
  const { ino, birthtimeNs, ctimeNs } = statSync(file, { bigint: true })
  const number = { file: String(ino) }
  // A file system that keeps no birth time shows 0.
  if (birthtimeNs === 0n) return { whole: number, certain: number }
  const whole = { ...number, born: String(birthtimeNs) }
  // Some show the moment of the last change in its place, which is another at each start.
  return { whole, certain: birthtimeNs === ctimeNs ? number : whole }
}
