import { bootService } from '@assay/service-kit';
import { executor } from './executor';

void bootService(executor);
