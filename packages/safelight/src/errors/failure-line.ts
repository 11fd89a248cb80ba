/**
 * What any error becomes on standard error: exactly one line, with a stack only on request, and an exit code.
 * Text from outside may hold anything, so control characters are dropped, and so is a secret that was typed in
 * place of a name.
 */
import { isApiError } from "@safelight/client"
import { hideSecrets, isSafelightError } from "@safelight/core"
import { toApiExitCode, toApiMessage } from "../client/api-failure.ts"
import { CommandError } from "./command-error.ts"
import { formatOneLine } from "../text/one-line.ts"
import { EXIT, type ExitCode } from "./exit-code.ts"
import { hidePasswords } from "./hide-passwords.ts"

export interface Failure {
  /** Ends in a line break. */
  readonly text: string
  readonly exitCode: ExitCode
}

export function toFailure(error: unknown, options: { readonly withStack: boolean }): Failure {
  const line = `safelight: ${formatOneLine(toMessage(error))}\n`
  const stack = options.withStack && error instanceof Error ? `${inspectChain(error)}\n` : ""
  return { text: hidePasswords(hideSecrets(line + stack)), exitCode: toExitCode(error) }
}

function toExitCode(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode
  if (isApiError(error)) return toApiExitCode(error)
  const isUsage = isSafelightError(error) && error.code === "invalid-configuration"
  return isUsage ? EXIT.refused : EXIT.failed
}

function toMessage(error: unknown): string {
  if (error instanceof CommandError || isSafelightError(error)) return error.message
  if (isApiError(error)) return toApiMessage(error)
  const words = error instanceof Error ? error.message : String(error)
  return `internal error: ${words} (SAFELIGHT_DEBUG=1 shows where)`
}

function inspectChain(error: Error): string {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\ncaused by ${inspectChain(error.cause)}` : own
}
