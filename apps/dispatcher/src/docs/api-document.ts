import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { INestApplication } from '@nestjs/common';
import { cleanupOpenApiDoc } from 'nestjs-zod';

/** The OpenAPI description of the HTTP API, made from its controllers and their schemas. */
export function apiDocument(app: INestApplication): OpenAPIObject {
  const head = new DocumentBuilder()
    .setTitle('Assay')
    .setDescription('Hand in runs, watch them, cancel them, fetch what they left; say who may.')
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer' })
    .build();
  return cleanupOpenApiDoc(SwaggerModule.createDocument(app, head));
}

/** Serves it: a page at /docs, JSON at /docs-json, YAML at /docs-yaml. */
export function serveApiDocument(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => apiDocument(app));
}
