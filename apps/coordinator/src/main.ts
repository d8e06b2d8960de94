import 'reflect-metadata';
import { bootService } from '@assay/service-kit';
import { coordinator } from './coordinator';

void bootService(coordinator);
