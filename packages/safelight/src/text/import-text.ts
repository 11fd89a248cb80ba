/** The report of an import, as JSON and in words. */
import type { BroughtApiKey, ExportManifest, ImportReport } from "@safelight/audit"

export function toImportRecord({
  manifest,
  isRepeated,
  artifacts,
  idempotency,
}: ImportReport): object {
  return { manifest, is_repeated: isRepeated, artifacts, idempotency }
}

export function formatImport({ manifest, isRepeated, artifacts }: ImportReport): string {
  const bytes =
    artifacts === null
      ? "the artifacts' bytes are not part of it: --artifacts-from copies them"
      : `${artifacts.copied} artifacts copied, ${artifacts.present} there before, ${artifacts.findingCount} not copied`
  const outcome = isRepeated ? "it was imported before" : "imported"
  return `${formatCounts(manifest)}\n${formatBrought(manifest)}${bytes}\n${outcome}\n`
}

/** A line for each key in the file: whoever made the file can use them. */
export function formatBrought({ brought: { apiKeys, linkKeys } }: ExportManifest): string {
  const lines = [
    ...apiKeys.map(formatApiKey),
    ...linkKeys.map(({ id }) => `link key ${id}, which signs links to every artifact`),
  ]
  return lines.map((line) => `${line}\n`).join("")
}

function formatApiKey({ id, account, scopes, expiresAt, revokedAt }: BroughtApiKey): string {
  const end = expiresAt === 0 ? "" : `, until ${new Date(expiresAt).toISOString()}`
  const state = revokedAt === 0 ? end : ", revoked"
  return `API key ${id} of account "${account}": ${scopes.join(", ")}${state}`
}

export function formatCounts(manifest: ExportManifest): string {
  const { streams, unfinished, events, accounts, keys, linkKeys } = manifest
  return `${streams} tasks (${unfinished} unfinished), ${events} events, ${accounts} accounts, ${keys} API keys, ${linkKeys} link keys`
}

/** A line for each thing that differs from the file; none if nothing does. */
export function formatFindings({ artifacts, idempotency }: ImportReport): readonly string[] {
  const words = {
    missing: "is not in the folder",
    differs: "is not what the log says",
    "foreign-locator": "can't be kept under its locator",
  }
  const { findings = [], findingCount = 0 } = artifacts ?? {}
  return [
    ...findings.map(({ kind, task, key }) => `${key} of task ${task} ${words[kind]}`),
    ...formatRest(findingCount - findings.length, "artifacts"),
    ...idempotency.findings.map(
      ({ account, task }) =>
        `an Idempotency-Key of task ${task} stands for another task of account "${account}" here`,
    ),
    ...formatRest(idempotency.findingCount - idempotency.findings.length, "Idempotency-Keys"),
  ]
}

function formatRest(count: number, of: string): readonly string[] {
  return count > 0 ? [`and ${count} more ${of}`] : []
}
