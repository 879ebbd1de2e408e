import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { settings } from '../../src/config/settings.ts'
import { limits } from '../../src/contract/limits.ts'
import { operations } from '../../src/contract/operations.ts'
import { readYaml, type Yaml } from '../support/read-yaml.ts'
import { startTestServer } from '../support/test-server.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8')

/** Of the AWS client and the store of files. */
const isSetting = (name: string): boolean => Object.hasOwn(settings, name) || /^(AWS_|BLOB_URL$)/.test(name)
const isOpenPath = (path: string): boolean =>
  operations.some(operation => operation.path === path && operation.access === 'anyone')

describe('Kubernetes manifests', () => {
  const objects: Yaml[] = globSync('deploy/kubernetes/*.yaml', { cwd: root }).flatMap(path =>
    readYaml(readFileSync(join(root, path), 'utf8')),
  )
  const find = (kind: string): Yaml => objects.find(object => object.kind === kind)!
  const pod = find('Deployment').spec.template
  const [container] = pod.spec.containers

  test('are complete, and refer to each other', () => {
    const resources: string[] = find('Kustomization').resources
    const files = globSync('*.yaml', { cwd: join(root, 'deploy/kubernetes') })
    assert.deepEqual(
      [...resources, 'kustomization.yaml', 'secret.example.yaml'].sort(),
      files.sort(),
      'every file is applied, but not the example of the secret',
    )
    const labels = pod.metadata.labels
    for (const selector of [
      find('Deployment').spec.selector.matchLabels,
      find('Service').spec.selector,
      find('PodDisruptionBudget').spec.selector.matchLabels,
    ])
      assert.deepEqual(selector, labels)
    assert.equal(find('HorizontalPodAutoscaler').spec.scaleTargetRef.name, find('Deployment').metadata.name)
    assert.equal(find('Service').spec.ports[0].targetPort, container.ports[0].name)
    assert.deepEqual(
      container.envFrom.map((source: Yaml) => Object.values<Yaml>(source)[0].name),
      [find('ConfigMap').metadata.name, find('Secret').metadata.name],
    )
    const volumes = pod.spec.volumes.map((volume: Yaml) => volume.name)
    assert.deepEqual(
      container.volumeMounts.map((mount: Yaml) => mount.name),
      volumes,
    )
  })

  test('set only settings that exist', () => {
    const names = [...Object.keys(find('ConfigMap').data), ...Object.keys(find('Secret').stringData)]
    assert.ok(names.length > 8)
    for (const name of names) assert.ok(isSetting(name), name)
  })

  test('probe paths that need no token, and let a server stop in time', () => {
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      assert.ok(isOpenPath(container[probe].httpGet.path), probe)
    const stopSeconds =
      limits.stopMilliseconds / 1000 + 5 + Number(container.lifecycle.preStop.exec.command[1])
    assert.ok(pod.spec.terminationGracePeriodSeconds >= stopSeconds)
    const { minReplicas } = find('HorizontalPodAutoscaler').spec
    assert.ok(find('PodDisruptionBudget').spec.minAvailable < minReplicas)
  })
})

describe('The compose file', () => {
  const [compose] = readYaml(read('compose/compose.yaml'))
  const { banyan } = compose.services

  test('sets only settings that exist, from variables of the example', () => {
    for (const name of Object.keys(banyan.environment)) assert.ok(isSetting(name), name)
    const used = [...read('compose/compose.yaml').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!)
    const given = [...read('compose/example.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name!)
    assert.deepEqual([...new Set(used)].sort(), given.sort())
  })

  test('has a proxy for every replica that asks for its readiness, and services that exist', () => {
    const proxy: string = compose.configs.haproxy.content
    assert.match(proxy, new RegExp(`server-template banyan ${banyan.deploy.replicas} banyan:8080`))
    assert.ok(isOpenPath(/uri (\S+)/.exec(proxy)![1]!))
    const waits = Number(/timeout server (\d+)s/.exec(proxy)![1]) * 1000
    assert.ok(waits > limits.runWaitMilliseconds, 'a request may wait for a run')
    assert.ok(Number.parseInt(banyan.stop_grace_period, 10) * 1000 > limits.stopMilliseconds + 5000)
    for (const service of Object.values<Yaml>(compose.services)) {
      const needs = service.depends_on ?? []
      for (const name of Array.isArray(needs) ? needs : Object.keys(needs))
        assert.ok(Object.hasOwn(compose.services, name), name)
      for (const { source } of service.configs ?? [])
        assert.ok(Object.hasOwn(compose.configs, source), source)
    }
    JSON.parse(compose.configs.s3.content)
  })
})

test('the health check of the image distinguishes a running server from a stopped one', async () => {
  const dockerfile = read('Dockerfile')
  const [, program, ...words] = JSON.parse(/HEALTHCHECK[^[]*CMD (\[.*\])/.exec(dockerfile)![1]!) as string[]
  assert.equal(program, '-e')
  const check = async (port: string): Promise<number> => {
    const child = spawn(process.execPath, ['-e', ...words], { env: { PORT: port } })
    return (await once(child, 'close'))[0] as number
  }
  const server = await startTestServer({ DEMO: 'off' })
  const { port } = new URL(server.base)
  assert.equal(await check(port), 0)
  await server.stop()
  assert.equal(await check(port), 1)
  assert.deepEqual(JSON.parse(/^CMD (.*)$/m.exec(dockerfile)![1]!), ['node', 'src/main.ts'])
  for (const [, name] of dockerfile.matchAll(/\b([A-Z_]+)=\S/g))
    if (name !== 'NODE_ENV') assert.ok(isSetting(name!), name)
})

test('the unit for systemd sets only settings that exist, and waits for a shutdown', () => {
  const page = readFileSync(join(root, 'docs/operating.md'), 'utf8')
  const unit = /```ini\n([\s\S]*?)```/.exec(page)![1]!
  const [, set] = /^Environment=(.*)$/m.exec(unit)!
  const names = [...set!.matchAll(/\b([A-Z_]+)=/g)].map(([, name]) => name!)
  for (const name of names) assert.ok(name === 'NODE_ENV' || isSetting(name), name)
  const stopSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1])
  assert.ok(stopSeconds * 1000 > limits.stopMilliseconds)
  const waits = [...page.matchAll(/proxy_read_timeout (\d+)s/g)].map(([, seconds]) => Number(seconds) * 1000)
  assert.ok(waits.length > 0 && waits.every(wait => wait > limits.runWaitMilliseconds))
})
