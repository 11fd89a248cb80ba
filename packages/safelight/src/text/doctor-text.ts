/** What `safelight doctor` found, a line for each finding, and as JSON. */
import { hideSecrets } from "@safelight/core"
import type { Finding } from "../doctor/finding.ts"
import { hidePasswords } from "../errors/hide-passwords.ts"
import { formatOneLine } from "./one-line.ts"

export function formatFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ advice, check, state, words }) => {
      const toDo = advice === undefined ? "" : ` -> ${advice}`
      return `${state.padEnd(7)}  ${toSafeText(`${check}: ${words}${toDo}`)}\n`
    })
    .join("")
}

export function toFindingRecords(findings: readonly Finding[]): unknown {
  return findings.map(({ advice, check, state, words }) => ({
    check: toSafeText(check),
    state,
    words: toSafeText(words),
    advice: advice === undefined ? null : toSafeText(advice),
  }))
}

/** Words of a server or of an operator's own module may hold anything. */
function toSafeText(text: string): string {
  return hidePasswords(hideSecrets(formatOneLine(text)))
}
