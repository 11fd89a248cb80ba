/**
 * All that may keep a service from serving, looked at from where it runs: the checks of `safelight doctor`. They read,
 * but for one byte that is stored with the artifacts and removed again, so a service may run on the same data.
 */
import type { Clock } from "@safelight/core"
import { systemClock } from "@safelight/engine"
import { listConfigurationFaults } from "../configuration/list-faults.ts"
import { loadConfiguration, type ConfigurationSource } from "../configuration/load-configuration.ts"
import { askService } from "./ask-service.ts"
import { checkAddress, checkNames } from "./check-addresses.ts"
import { ARTIFACTS_ADVICE, checkArtifacts } from "./check-artifacts.ts"
import { listChannelChecks } from "./check-channels.ts"
import { checkDatabase } from "./check-database.ts"
import { checkDisk } from "./check-disk.ts"
import { checkMachine } from "./check-machine.ts"
import { checkPublicUrl } from "./check-public-url.ts"
import { checkSigning } from "./check-signing.ts"
import { checkWayOut } from "./check-way-out.ts"
import { fault, ok, type Finding } from "./finding.ts"
import { runChecks, type Check, type Ran } from "./run-checks.ts"
import type { Surroundings } from "./surroundings.ts"

export interface ExaminationOptions {
  readonly source: ConfigurationSource
  /** A public URL that webhooks should reach. */
  readonly reach: string
  readonly patienceMs: number
  readonly clock?: Pick<Clock, "now" | "wait">
}

export interface Examination extends Ran {
  /** Whether the configuration itself is wrong, so that what depends on it was not looked at. */
  readonly isMisconfigured: boolean
}

/** Never rejects because of what it finds. */
export async function examine(options: ExaminationOptions): Promise<Examination> {
  const { clock = systemClock, patienceMs, source } = options
  const faults = await listConfigurationFaults(source)
  const machine: Check = {
    name: "machine",
    run: () => checkMachine(clock),
    advice: "give the service what it needs",
  }
  if (faults.length > 0) {
    const advice = "correct it, and run this again: the other checks need the configuration"
    const found = faults.map((words) => fault("configuration", words, advice))
    const ran = await runChecks({ checks: [machine], patienceMs, clock })
    return { ...ran, findings: [...found, ...ran.findings], isMisconfigured: true }
  }
  const configuration = await loadConfiguration(source)
  let asked: ReturnType<typeof askService> | undefined
  const surroundings: Surroundings = {
    configuration,
    environment: source.environment,
    clock,
    patienceMs,
    askService: () => (asked ??= askService(configuration, patienceMs)),
  }
  const checks = [machine, ...listChecks(surroundings, options)]
  const channels = await listChannelChecks(surroundings)
  const ran = await runChecks({ checks: [...checks, ...channels], patienceMs, clock })
  const file = configuration.file ?? "no file: flags, variables and defaults"
  const first: Finding = ok("configuration", file)
  return { ...ran, findings: [first, ...ran.findings], isMisconfigured: false }
}

function listChecks(
  surroundings: Surroundings,
  { reach }: Pick<ExaminationOptions, "reach">,
): readonly Check[] {
  return [
    {
      name: "disk",
      run: () => checkDisk(surroundings),
      advice: "see whether the disk is mounted and may be read",
    },
    {
      name: "database",
      run: () => checkDatabase(surroundings),
      advice: "correct the folder or URL of the database, or what keeps it from answering",
    },
    {
      name: "artifacts",
      run: () => checkArtifacts(surroundings),
      advice: ARTIFACTS_ADVICE,
    },
    {
      name: "signing",
      run: () => checkSigning(surroundings),
      advice: "correct the key that signs, checkpoints.keys or checkpoints.copies",
    },
    {
      name: "address",
      run: () => checkAddress(surroundings),
      advice: "end what holds the port, or name another",
    },
    { name: "names", run: () => checkNames(surroundings), advice: "correct the resolver" },
    {
      name: "public URL",
      run: () => checkPublicUrl(surroundings),
      advice: "see what the proxy in front does",
    },
    {
      name: "way out",
      run: () => checkWayOut(surroundings, reach),
      advice: "open outgoing HTTPS and DNS",
    },
  ]
}
