import { HttpStatus } from '@nestjs/common';
import { Refusal } from './refusal';

/** A layer of Express's router that leads to a route (Express 5). */
export interface Route {
  readonly route: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

interface Request {
  readonly method: string;
  readonly path: string;
}
interface Answer {
  setHeader(name: string, value: string): unknown;
}

/** Middleware that refuses (405, with `Allow`) a method that a known path does not have; RFC 9110, 15.5.6. */
export function knownMethod(routes: () => readonly Route[]) {
  return ({ method, path }: Request, answer: Answer, next: (error?: unknown) => void): void => {
    const allowed = methodsOf(routes().filter((route) => matches(route, path)));
    if (allowed.length === 0 || allowed.includes(method)) {
      next();
      return;
    }
    const allow = allowed.join(', ');
    answer.setHeader('allow', allow);
    const problem = { field: 'method', value: method, expected: `expected one of: ${allow}` };
    next(new Refusal(HttpStatus.METHOD_NOT_ALLOWED, `${path} does not take ${method}`, [problem]));
  };
}

/** A path that cannot be decoded (`/v1/runs/%ff`) is nobody's: the router itself refuses it. */
function matches(route: Route, path: string): boolean {
  try {
    return route.match(path);
  } catch {
    return false;
  }
}

/** Where there is GET there is HEAD. */
function methodsOf(routes: readonly Route[]): string[] {
  const named = routes.flatMap(({ route }) => Object.keys(route.methods)).map((name) => name.toUpperCase());
  return [...new Set(named.includes('GET') ? [...named, 'HEAD'] : named)].sort();
}
