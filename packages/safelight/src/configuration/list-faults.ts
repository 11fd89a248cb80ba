/** All that is wrong with a configuration, where `loadConfiguration` names the first: for whoever puts it right. */
import { listFaults } from "./configuration-fault.ts"
import { listStrayVariables } from "./known-variables.ts"
import {
  listTypedFaults,
  loadConfiguration,
  readConfiguration,
  type ConfigurationSource,
} from "./load-configuration.ts"
import { readConfigurationFile } from "./read-configuration-file.ts"
import { withSecretFiles } from "./secret-files.ts"
import { readVariable } from "./secret-settings.ts"

/** Each in words for people; empty if the configuration can be loaded. Rejects if the fault is no configuration's. */
export async function listConfigurationFaults(
  given: ConfigurationSource,
): Promise<readonly string[]> {
  const source = { ...given, environment: withSecretFiles(given.environment, given.folder) }
  const { environment, flags, folder } = source
  const path = flags.config ?? readVariable(environment, "SAFELIGHT_CONFIG")
  const faults = [
    ...listStrayVariables(environment),
    ...listTypedFaults(source),
    ...(await faultsOf(readConfigurationFile({ path, folder }))),
  ]
  return faults.length > 0 ? faults : listFaultsTogether(source)
}

/** Of settings that are right one by one. */
async function listFaultsTogether(source: ConfigurationSource): Promise<readonly string[]> {
  const faults = await faultsOf(readConfiguration(source))
  if (faults.length > 0) return faults
  const { codeFault, modelFiles } = await readConfiguration(source)
  if (codeFault !== undefined) return [codeFault]
  const { listModelFaults } = await import("../models/load-models.ts")
  const ofModels = await listModelFaults(modelFiles)
  return ofModels.length > 0 ? ofModels : faultsOf(loadConfiguration(source))
}

async function faultsOf(work: Promise<unknown>): Promise<readonly string[]> {
  try {
    await work
    return []
  } catch (error) {
    return listFaults(error)
  }
}
