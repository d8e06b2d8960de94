import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

const FILE = fileURLToPath(new URL('./openapi/github-23.0.2.json', import.meta.url));

/**
 * GitHub's own description of its API, cut to what the stand-in serves, as a judge of every exchange: of the requests
 * our client makes and of the answers the stand-in gives.
 * @returns {(exchange: import('./server.d.mts').Exchange) => string[]} problems in words; empty: the exchange conforms
 */
export function openContract() {
  const description = JSON.parse(readFileSync(FILE, 'utf8'));
  // The text of the description names the state `starter` of a failed upload; its schema forgets it.
  description.components.schemas['release-asset'].properties.state.enum.push('starter');
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false });
  addFormats(ajv);
  ajv.addSchema(description, 'github');

  const validators = new Map();
  const validate = (pointer, value, where) => {
    if (!validators.has(pointer)) validators.set(pointer, ajv.compile({ $ref: `github#${pointer}` }));
    const check = validators.get(pointer);
    if (check(value)) return [];
    return check.errors.map((error) => `${where}${error.instancePath}: ${error.message}`);
  };

  const resolved = (value, pointer) =>
    value.$ref === undefined
      ? { value, pointer }
      : { value: at(description, value.$ref.slice(1)), pointer: value.$ref.slice(1) };

  return (exchange) => {
    const method = exchange.method.toLowerCase();
    const operation = description.paths[exchange.template]?.[method];
    if (operation === undefined) return [`${exchange.method} ${exchange.template} is not described`];
    const base = `/paths/${escaped(exchange.template)}/${method}`;
    return [
      ...parameters(exchange, operation, base, resolved, validate),
      ...request(exchange, operation, base, validate),
      ...answer(exchange, operation, base, resolved, validate),
    ].map((problem) => `${exchange.method} ${exchange.path} -> ${exchange.status}: ${problem}`);
  };
}

function parameters(exchange, operation, base, resolved, validate) {
  const described = (operation.parameters ?? []).map((one, index) => resolved(one, `${base}/parameters/${index}`));
  const values = { path: exchange.params, query: exchange.query };
  const unknown = Object.keys(exchange.query).filter(
    (name) => !described.some(({ value }) => value.in === 'query' && value.name === name),
  );
  return [
    ...unknown.map((name) => `unknown query parameter ${name}`),
    ...described.flatMap(({ value, pointer }) => {
      const given = values[value.in]?.[value.name];
      if (given === undefined) return value.required === true ? [`missing ${value.in} parameter ${value.name}`] : [];
      const typed = value.schema.type === 'integer' && /^\d+$/.test(given) ? Number(given) : given;
      return validate(`${pointer}/schema`, typed, `${value.in} ${value.name}`);
    }),
  ];
}

function request(exchange, operation, base, validate) {
  if (exchange.requestBody === undefined || exchange.requestBody === null) return [];
  const schema = operation.requestBody?.content['application/json']?.schema;
  // An answer of 4xx is right about a malformed request: then only the answer is judged.
  if (schema === undefined || exchange.status >= 400) return [];
  const unknown = Object.keys(exchange.requestBody).filter((key) => !(key in (schema.properties ?? {})));
  return [
    ...unknown.map((key) => `unknown request property ${key}`),
    ...validate(`${base}/requestBody/content/application~1json/schema`, exchange.requestBody, 'request'),
  ];
}

function answer(exchange, operation, base, resolved, validate) {
  const { status, responseBody } = exchange;
  if (status === 304) return [];
  const raw = operation.responses[String(status)];
  const { value, pointer } = raw === undefined ? { value: {} } : resolved(raw, `${base}/responses/${status}`);
  if (raw === undefined && status < 400) return [`status ${status} is not described`];
  const schema = value.content?.['application/json']?.schema;
  if (schema === undefined) {
    if (status >= 400) return validate('/components/schemas/basic-error', responseBody, 'answer');
    return responseBody === undefined ? [] : ['an answer that is described as empty has a body'];
  }
  return validate(`${pointer}/content/application~1json/schema`, responseBody, 'answer');
}

function escaped(part) {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function at(root, pointer) {
  return pointer
    .split('/')
    .slice(1)
    .reduce((value, part) => value[part.replaceAll('~1', '/').replaceAll('~0', '~')], root);
}
