/** A finding in one line for people. Programs read the finding itself, never this text. */
import type { Finding } from "./finding.ts"

export function describeFinding(finding: Finding): string {
  return `${place(finding)}: ${explain(finding)}`
}

function place(finding: Finding): string {
  if (finding.kind === "totals-differ") return `account ${finding.account}`
  if (finding.task === null) return "all accounts"
  const { task, version } = finding
  return version === null ? `task ${task}` : `task ${task}, event ${version}`
}

function explain(finding: Finding): string {
  const { expected, found } = finding
  switch (finding.kind) {
    case "version-gap":
      return `version ${found} stands where ${expected} is due`
    case "hash-differs":
      return `the hash is ${found}, the stored text makes ${expected}`
    case "moment-falls":
      return `the moment ${found} is not a whole number of at least ${expected}`
    case "data-not-canonical":
      return `the data reads ${found}, its canonical text ${expected}`
    case "event-unreadable":
    case "event-unknown":
      return `${found}, expected ${expected}`
    case "event-illegal":
      return `${found} is not legal, the task is ${expected}`
    case "charge-differs":
      return `the charge is ${found}, usage and price make ${expected} (micro-units)`
    case "row-missing":
      return `the task has ${expected} events and no row`
    case "row-orphaned":
      return `the task has a row at version ${found} and no events`
    case "row-behind":
      return `the row stands at version ${found}, the log at ${expected}`
    case "row-differs":
      return `the row's ${finding.field} is ${found}, the log makes ${expected}`
    case "artifact-missing":
      return `artifact ${finding.key} has no row`
    case "artifact-orphaned":
      return `artifact ${finding.key} has a row that the log knows nothing of`
    case "artifact-differs":
      return `the ${finding.field} of artifact ${finding.key} is ${found}, the log says ${expected}`
    case "charge-row-missing":
      return `the charge of ${expected} micro-units has no line in the bill`
    case "charge-row-orphaned":
      return `the bill has a line of ${found} micro-units that the log knows nothing of`
    case "charge-row-differs":
      return `the ${finding.field} of its line in the bill is ${found}, the log makes ${expected}`
    case "outcome-missing":
      return `the outcome of attempt ${finding.attempt} has no row`
    case "outcome-orphaned":
      return `attempt ${finding.attempt} has a row of its outcome that the log knows nothing of`
    case "outcome-differs":
      return `the ${finding.field} of attempt ${finding.attempt} is ${found}, the log makes ${expected}`
    case "totals-differ":
      return `the kept ${finding.field} is ${found}, the rows add up to ${expected}`
    case "model-unknown":
      return `model ${expected} is not known here, so its charge can't be judged`
    case "price-unknown":
      return `the charge ${found} can't be judged: ${expected}`
    case "total-too-large":
      return `with a charge of ${found} the account's total would pass ${expected}`
    case "totals-unread":
      return `the kept totals could not be read: ${found}`
    case "storage-failed":
      return `reading stopped behind it: ${found}`
  }
}
