import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import { Readiness, type ReadinessReport } from './readiness';

interface Answer {
  status(code: number): unknown;
}

/** /livez: the process answers. /readyz: it can work; 503 with the names of what is down when it cannot. */
@Controller()
export class HealthController {
  constructor(@Inject(Readiness) private readonly readiness: Readiness) {}

  @Get('livez')
  live(): { alive: true } {
    return { alive: true };
  }

  @Get('readyz')
  async ready(@Res({ passthrough: true }) answer: Answer): Promise<ReadinessReport> {
    const report = await this.readiness.report();
    if (!report.ready) answer.status(HttpStatus.SERVICE_UNAVAILABLE);
    return report;
  }
}
