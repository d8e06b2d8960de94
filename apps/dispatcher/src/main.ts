import 'reflect-metadata';
import { bootService } from '@assay/service-kit';
import { dispatcher } from './dispatcher';

void bootService(dispatcher);
