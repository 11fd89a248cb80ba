/** What was found of the way to the server, and what follows from it, as fields of one line of the log. */
import type { Found, Hearing } from "./examine-server.ts"

const WAKE_UPS: Readonly<Record<Hearing, string>> = {
  here: "by LISTEN",
  apart: "by LISTEN at an address of its own",
  nowhere: "by polling",
}

export interface FoundWords {
  readonly sessions: string
  readonly settings: string
  readonly statements: string
  readonly wakeUps: string
}

export function describeFound({ hearing, keeping }: Found): FoundWords {
  return {
    sessions: keeping.sessions ? "one for each connection" : "shared by a pooler",
    settings: keeping.settings ? "sent with the connection" : "sent with each transaction",
    statements: keeping.names ? "prepared once" : "prepared each time",
    wakeUps: WAKE_UPS[hearing],
  }
}
