// Made from apps/action by `npm run action:bundle`: change the source, not this file.

// apps/action/src/event.ts
var import_node_fs2 = require("node:fs");

// apps/action/src/failure.ts
var ActionFailure = class extends Error {
  name = "ActionFailure";
};
var PassingFailure = class extends ActionFailure {
  constructor(message, retryAfterSeconds = null) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
  retryAfterSeconds;
  name = "PassingFailure";
};

// apps/action/src/settings.ts
var import_node_fs = require("node:fs");
var import_node_tls = require("node:tls");
function inputOf(env, name) {
  const value = (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
  return value === "" ? void 0 : value;
}
function readSettings(env) {
  return {
    url: readUrl(env),
    audience: inputOf(env, "audience") ?? "assay",
    ca: readCertificates(env),
    attempts: readNumber(env, "attempts", { byDefault: 8, least: 1, most: 20, whole: true }),
    requestTimeoutMs: 1e3 * readNumber(env, "request-timeout-seconds", { byDefault: 30, least: 0.1, most: 300 }),
    retryDelayMs: 1e3 * readNumber(env, "retry-delay-seconds", { byDefault: 2, least: 0, most: 60 })
  };
}
function readUrl(env) {
  const text = inputOf(env, "url");
  if (text === void 0) throw new ActionFailure("url: expected the dispatcher's https: address, got nothing");
  const expected = "url: expected an https: address (http: for localhost only) without user, password and query";
  if (!URL.canParse(text)) throw new ActionFailure(expected);
  const { protocol, hostname, username, password, search, hash, href } = new URL(text);
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  const secure = protocol === "https:" || protocol === "http:" && local;
  if (!secure || username !== "" || password !== "" || search !== "" || hash !== "") throw new ActionFailure(expected);
  return href.replace(/\/+$/, "");
}
function readCertificates(env) {
  const file = inputOf(env, "ca-file");
  if (file === void 0) return null;
  let text;
  try {
    text = (0, import_node_fs.readFileSync)(file, "utf8");
  } catch (error) {
    throw new ActionFailure(`ca-file: cannot read ${file}: ${error.message}`);
  }
  if (!text.includes("-----BEGIN CERTIFICATE-----")) {
    throw new ActionFailure(`ca-file: expected PEM certificates, found none in ${file}`);
  }
  return [...import_node_tls.rootCertificates, text];
}
function readNumber(env, name, { byDefault, least, most, whole = false }) {
  const text = inputOf(env, name);
  if (text === void 0) return byDefault;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
  const kind = whole ? "a whole number" : "a number";
  throw new ActionFailure(`${name}: expected ${kind} from ${least} to ${most}, got ${JSON.stringify(text)}`);
}

// apps/action/src/event.ts
var CHOICES = ["evaluated-ref", "suite", "limit", "instance-id", "chain-limit", "chain-instance-id"];
function readEvent(env) {
  const event = wanted(env, "GITHUB_EVENT_NAME", /^[a-z_]+$/);
  const about = {
    schemaVersion: "assay.release-request/1",
    repository: wanted(env, "GITHUB_REPOSITORY", /^[A-Za-z0-9-]+\/[A-Za-z0-9._-]+$/),
    githubRunUrl: runUrl(env)
  };
  if (event === "workflow_dispatch") {
    const releaseTag = inputOf(env, "release-tag");
    if (releaseTag === void 0) throw new ActionFailure("release-tag: expected the tag of a release, got nothing");
    return {
      kind: "submit",
      key: keyOf(env),
      request: { ...about, event, releaseTag, ...choicesOf(env) },
      ignored: []
    };
  }
  if (event !== "release") return { kind: "skip", what: "non-release event", reason: `the event is ${event}` };
  const { action, release } = readPayload(env);
  if (action !== "published") return { kind: "skip", what: release.tag, reason: `the release was ${action}` };
  if (release.draft) return { kind: "skip", what: release.tag, reason: "the release is a draft" };
  const named = inputOf(env, "release-tag");
  if (named !== void 0 && named !== release.tag) {
    throw new ActionFailure(`release-tag: expected none, or that of the event, ${release.tag}, got ${named}`);
  }
  const ignored = CHOICES.filter((name) => inputOf(env, name) !== void 0);
  return { kind: "submit", key: keyOf(env), request: { ...about, event, releaseTag: release.tag }, ignored };
}
function keyOf(env) {
  return `gh-${wanted(env, "GITHUB_REPOSITORY_ID", /^\d+$/)}-${wanted(env, "GITHUB_RUN_ID", /^\d+$/)}`;
}
function runUrl(env) {
  const server = wanted(env, "GITHUB_SERVER_URL", /^https?:\/\/[^\s/]+$/);
  return `${server}/${env["GITHUB_REPOSITORY"] ?? ""}/actions/runs/${wanted(env, "GITHUB_RUN_ID", /^\d+$/)}`;
}
function choicesOf(env) {
  const texts = {
    evaluatedRef: "evaluated-ref",
    suite: "suite",
    instanceId: "instance-id",
    chainInstanceId: "chain-instance-id"
  };
  const numbers = { limit: "limit", chainLimit: "chain-limit" };
  const entries = [
    ...Object.entries(texts).map(([field, name]) => [field, inputOf(env, name)]),
    ...Object.entries(numbers).map(([field, name]) => [field, countOf(env, name)])
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== void 0));
}
function countOf(env, name) {
  const text = inputOf(env, name);
  if (text === void 0) return void 0;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new ActionFailure(`${name}: expected a whole number from 1, got ${JSON.stringify(text)}`);
}
function readPayload(env) {
  const file = wanted(env, "GITHUB_EVENT_PATH", /./);
  let payload;
  try {
    payload = JSON.parse((0, import_node_fs2.readFileSync)(file, "utf8"));
  } catch (error) {
    throw new ActionFailure(`cannot read the event file ${file}: ${error.message}`);
  }
  const { action, release } = payload ?? {};
  if (typeof action !== "string" || typeof release?.tag_name !== "string") {
    throw new ActionFailure(`the event file ${file} tells of no release: expected action and release.tag_name`);
  }
  return { action, release: { tag: release.tag_name, draft: release.draft === true } };
}
function wanted(env, name, form) {
  const value = env[name] ?? "";
  if (value === "") throw new ActionFailure(`${name} is not set: is this a step of GitHub Actions?`);
  if (!form.test(value)) throw new ActionFailure(`${name}: expected ${String(form)}, got ${JSON.stringify(value)}`);
  return value;
}

// apps/action/src/http.client.ts
var import_node_http = require("node:http");
var import_node_https = require("node:https");
var MAX_REPLY_BYTES = 1048576;
var CERTIFICATE_CODES = /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|WRONG_VERSION_NUMBER/;
async function call({ method, url, headers, body, ca, timeoutMs }) {
  const signal = AbortSignal.timeout(timeoutMs);
  const send = url.protocol === "https:" ? import_node_https.request : import_node_http.request;
  try {
    return await new Promise((resolve, reject) => {
      const sent = send(
        url,
        { method, headers, signal, agent: false, ...ca === null ? {} : { ca: [...ca] } },
        (response) => {
          const chunks = [];
          let size = 0;
          response.on("data", (chunk) => {
            size += chunk.length;
            if (size > MAX_REPLY_BYTES) sent.destroy(new Error(`the answer is larger than ${MAX_REPLY_BYTES} bytes`));
            else chunks.push(chunk);
          });
          response.on("error", reject);
          response.on("end", () => {
            resolve({
              status: response.statusCode ?? 0,
              text: Buffer.concat(chunks).toString("utf8"),
              retryAfter: response.headers["retry-after"] ?? null
            });
          });
        }
      );
      sent.on("error", reject);
      sent.end(body ?? void 0);
    });
  } catch (error) {
    throw failureOf(error, { url, timeoutMs, timedOut: signal.aborted });
  }
}
function failureOf(error, { url, timeoutMs, timedOut }) {
  if (timedOut) return new PassingFailure(`${url.origin} did not answer within ${timeoutMs / 1e3} s`);
  const { code = "", message } = error;
  if (CERTIFICATE_CODES.test(code)) {
    return new ActionFailure(
      `the certificate of ${url.origin} is not trusted (${code}): ${message}; the input ca-file names further authorities`
    );
  }
  return new PassingFailure(`no answer from ${url.origin}: ${message === "" ? code : message}`);
}

// apps/action/src/oidc-token.ts
async function freshToken(env, { audience, requestTimeoutMs: timeoutMs }, runner) {
  const [address, secret] = [env["ACTIONS_ID_TOKEN_REQUEST_URL"] ?? "", env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] ?? ""];
  if (!URL.canParse(address) || secret === "") {
    throw new ActionFailure("the job may not ask for an OIDC token: give it `permissions: id-token: write`");
  }
  runner.hide(secret);
  const url = new URL(address);
  url.searchParams.set("audience", audience);
  const headers = { authorization: `Bearer ${secret}`, accept: "application/json" };
  const { status, text } = await call({ method: "GET", url, headers, body: null, ca: null, timeoutMs });
  if (status >= 500 || status === 429) throw new PassingFailure(`GitHub gives no OIDC token now (${status})`);
  const token = status === 200 ? tokenIn(text) : null;
  if (token === null) throw new ActionFailure(`GitHub gives this job no OIDC token (${status})`);
  runner.hide(token);
  return token;
}
function tokenIn(text) {
  try {
    const { value } = JSON.parse(text);
    return typeof value === "string" && /^[\x21-\x7e]+$/.test(value) ? value : null;
  } catch {
    return null;
  }
}

// apps/action/src/report.ts
function report(receipt, tag, runner) {
  if (!("runId" in receipt)) {
    reportSkip(tag, receipt.reason, runner);
    return;
  }
  const { runId, runUrl: runUrl2, status, deduplicated } = receipt;
  outputs(runner, { runId, runUrl: runUrl2, status, deduplicated });
  runner.summary(summaryOf(receipt));
  runner.log(`${deduplicated ? "Found again" : "Handed over"}: ${tag} is run ${runId}, ${status}. ${runUrl2}`);
}
function reportSkip(what, reason, runner) {
  outputs(runner, { runId: "", runUrl: "", status: "SKIPPED", deduplicated: false });
  runner.summary(`### Assay

No benchmark for ${literal(what)}: ${literal(reason)}`);
  runner.notice(`Skipping benchmark for ${what}: ${reason}`);
}
function outputs(runner, { runId, runUrl: runUrl2, status, deduplicated }) {
  runner.output("run-id", runId);
  runner.output("run-url", runUrl2);
  runner.output("status", status);
  runner.output("deduplicated", String(deduplicated));
}
function summaryOf(receipt) {
  const rows = [
    ["Release", literal(receipt.releaseTag)],
    ["Evaluated", `${literal(receipt.evaluatedRef)}${receipt.commit === null ? "" : ` (${literal(receipt.commit)})`}`],
    ["Run", `[${literal(receipt.runId)}](<${receipt.runUrl.replaceAll(/[<>|]/g, encodeURIComponent)}>)`],
    ["State", `${receipt.status}${receipt.deduplicated ? ", submitted before" : ""}`],
    ["Suite", suiteText(receipt.suite, receipt.expectedInstances)],
    ...receipt.chain.map(({ suite, expectedInstances }) => [
      "Then",
      suiteText(suite, expectedInstances)
    ]),
    ["Rule", literal(receipt.rule)]
  ];
  return [
    "### Assay: the release was handed over",
    "",
    "| | |",
    "| --- | --- |",
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
    "",
    "This job ends here. The result is written to the release when the run is done."
  ].join("\n");
}
function suiteText(suite, instances) {
  return instances === null ? literal(suite) : `${literal(suite)}, ${instances} ${instances === 1 ? "instance" : "instances"}`;
}
function literal(text) {
  return `<code>${text.replaceAll(/[&<>"'`|*_[\]\\\r\n]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</code>`;
}

// apps/action/src/runner.ts
var import_node_crypto = require("node:crypto");
var import_node_fs3 = require("node:fs");
var Runner = class {
  constructor(env, write) {
    this.env = env;
    this.write = write;
  }
  env;
  write;
  secrets = /* @__PURE__ */ new Set();
  /** From now on the runner and this process put `***` for it. */
  hide(secret) {
    if (secret === "" || this.secrets.has(secret)) return;
    this.secrets.add(secret);
    this.write(`::add-mask::${escapeData(secret)}
`);
  }
  /** A line of the log; it cannot begin with a command. */
  log(text) {
    this.write(
      `${this.clean(text).replaceAll(/[\r\n]+/g, " ").replace(/^(\s*)(::|##\[)/, "$1 $2")}
`
    );
  }
  notice(text) {
    this.command("notice", text);
  }
  warning(text) {
    this.command("warning", text);
  }
  error(text) {
    this.command("error", text);
  }
  /** The step's output `name`, for later steps. */
  output(name, value) {
    const end = `end_${(0, import_node_crypto.randomUUID)()}`;
    this.append("GITHUB_OUTPUT", `${name}<<${end}
${this.clean(value)}
${end}
`);
  }
  /** Markdown on the page of the workflow run. */
  summary(markdown) {
    this.append("GITHUB_STEP_SUMMARY", `${this.clean(markdown)}
`);
  }
  command(name, text) {
    this.write(`::${name}::${escapeData(this.clean(text))}
`);
  }
  append(variable, text) {
    const file = this.env[variable] ?? "";
    if (file === "") throw new ActionFailure(`${variable} is not set: is this a step of GitHub Actions?`);
    (0, import_node_fs3.appendFileSync)(file, text);
  }
  clean(text) {
    let cleaned = text;
    for (const secret of this.secrets) cleaned = cleaned.replaceAll(secret, "***");
    return cleaned;
  }
};
function escapeData(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

// apps/action/src/submit.ts
var import_promises = require("node:timers/promises");

// apps/action/src/receipt.ts
function readReceipt(text, server) {
  const at = new Fields(parsed(text), "");
  const version = at.text("schemaVersion", /^.+$/);
  if (version !== "assay.receipt/1") throw no("schemaVersion", "assay.receipt/1", version);
  const status = at.text("status", /^[A-Z][A-Z_]{1,40}$/);
  if (status === "SKIPPED") return { status, rule: at.textOrNull("rule"), reason: at.text("reason", /^[^]+$/) };
  return {
    status,
    runId: at.text("runId", /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
    runUrl: at.address("runUrl", server),
    deduplicated: at.flag("deduplicated"),
    releaseTag: at.text("releaseTag", /^.+$/),
    evaluatedRef: at.text("evaluatedRef", /^.+$/),
    commit: at.textOrNull("commit"),
    suite: at.text("suite", /^.+$/),
    rule: at.text("rule", /^.+$/),
    expectedInstances: at.countOrNull("expectedInstances"),
    chain: at.list("chain").map((step) => ({
      suite: step.text("suite", /^.+$/),
      expectedInstances: step.countOrNull("expectedInstances")
    }))
  };
}
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new ActionFailure(`the dispatcher's answer is no JSON: ${JSON.stringify(text.slice(0, 200))}`);
  }
}
function no(field, expected, got) {
  const shown = got === void 0 ? "nothing" : JSON.stringify(got).slice(0, 200);
  return new ActionFailure(`the dispatcher's answer is no receipt: ${field}: expected ${expected}, got ${shown}`);
}
var Fields = class _Fields {
  constructor(value, path) {
    this.path = path;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw no(path || "(body)", "an object", value);
    this.values = value;
  }
  path;
  values;
  text(name, form) {
    const value = this.values[name];
    if (typeof value === "string" && form.test(value)) return value;
    throw no(this.path + name, `a text like ${String(form)}`, value);
  }
  textOrNull(name) {
    const value = this.values[name];
    if (typeof value === "string" || value === null) return value;
    throw no(this.path + name, "a text or null", value);
  }
  address(name, server) {
    const value = this.values[name];
    if (typeof value === "string" && value !== "" && URL.canParse(value, `${server}/`)) {
      const { protocol, href } = new URL(value, `${server}/`);
      if (protocol === "https:" || protocol === "http:") return href;
    }
    throw no(this.path + name, "an address", value);
  }
  flag(name) {
    const value = this.values[name];
    if (typeof value === "boolean") return value;
    throw no(this.path + name, "true or false", value);
  }
  countOrNull(name) {
    const value = this.values[name];
    if (value === null || typeof value === "number" && Number.isInteger(value)) return value;
    throw no(this.path + name, "a whole number or null", value);
  }
  list(name) {
    const value = this.values[name];
    if (!Array.isArray(value)) throw no(this.path + name, "a list", value);
    return value.map((each, index) => new _Fields(each, `${this.path}${name}.${index}.`));
  }
};

// apps/action/src/submit.ts
var MAX_DELAY_MS = 6e4;
var MAX_RETRY_AFTER_SECONDS = 180;
async function submit(submission, settings, token, runner) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return readReceipt(accepted(await post(submission, settings, await token())), settings.url);
    } catch (error) {
      if (!(error instanceof PassingFailure)) throw error;
      if (attempt >= settings.attempts) throw new ActionFailure(`given up after ${attempt} tries: ${error.message}`);
      const delayMs = delayOf(error, attempt, settings);
      runner.log(`Try ${attempt} of ${settings.attempts}: ${error.message}; again in ${Math.ceil(delayMs / 1e3)} s`);
      await (0, import_promises.setTimeout)(delayMs);
    }
  }
}
async function post({ key, request }, settings, token) {
  const body = JSON.stringify(request);
  return call({
    method: "POST",
    url: new URL(`${settings.url}/v1/releases`),
    headers: {
      authorization: `Bearer ${token}`,
      "idempotency-key": key,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      accept: "application/json",
      "user-agent": "assay-dispatch-action"
    },
    body,
    ca: settings.ca,
    timeoutMs: settings.requestTimeoutMs
  });
}
function accepted({ status, text, retryAfter }) {
  if (status === 200 || status === 202) return text;
  const said = `the dispatcher answered ${status}: ${errorIn(text)}`;
  if (status === 429 || status >= 500) throw new PassingFailure(said, secondsOf(retryAfter));
  throw new ActionFailure(said);
}
function errorIn(text) {
  try {
    const { message, errors } = JSON.parse(text);
    if (typeof message !== "string") return text.slice(0, 300);
    const fields = Array.isArray(errors) ? errors.map(fieldLine) : [];
    return [message, ...fields].join("; ").slice(0, 2e3);
  } catch {
    return text.slice(0, 300);
  }
}
function fieldLine(error) {
  const { field, expected, value } = error;
  return `${String(field)}: ${String(expected)}, got ${value === void 0 ? "nothing" : JSON.stringify(value)}`;
}
function secondsOf(header) {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1e3;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
function delayOf({ retryAfterSeconds, message }, attempt, { retryDelayMs }) {
  if (retryAfterSeconds !== null && retryAfterSeconds > MAX_RETRY_AFTER_SECONDS) {
    throw new ActionFailure(
      `${message}; it asks for ${Math.ceil(retryAfterSeconds)} s of patience: run the job again then`
    );
  }
  const own = Math.min(MAX_DELAY_MS, retryDelayMs * 2 ** (attempt - 1)) * (1 + Math.random() / 10);
  return Math.max(own, 1e3 * (retryAfterSeconds ?? 0));
}

// apps/action/src/run-action.ts
async function runAction(env, write) {
  const runner = new Runner(env, write);
  try {
    const settings = readSettings(env);
    const asked = readEvent(env);
    if (asked.kind === "skip") {
      reportSkip(asked.what, asked.reason, runner);
      return 0;
    }
    if (asked.ignored.length > 0) {
      runner.warning(`${asked.ignored.join(", ")}: of no account for a release, whose run the policy decides`);
    }
    const receipt = await submit(asked, settings, () => freshToken(env, settings, runner), runner);
    report(receipt, asked.request.releaseTag, runner);
    return 0;
  } catch (error) {
    if (!(error instanceof ActionFailure)) throw error;
    runner.error(error.message);
    return 1;
  }
}

// apps/action/src/main.ts
runAction(process.env, (text) => process.stdout.write(text)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    const { name, stack = "" } = error;
    const place = stack.split("\n").filter((line) => line.startsWith("    at "));
    process.stdout.write(`::error::Assay's Action broke (${name})%0A${place.slice(0, 8).join("%0A")}
`);
    process.exitCode = 1;
  }
);
